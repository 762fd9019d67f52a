"""HASH_VALUE of a statement, which Oracle takes from its SQL_ID."""

_BASE32 = "0123456789abcdfghjkmnpqrstuvwxyz"  # the digits that Oracle writes a SQL_ID in


def hash_value(sql_id: str) -> int:
    """The lower 32 bits of a SQL_ID. Raises ValueError for what is none."""
    value = 0
    for digit in sql_id:
        value = value << 5 | _BASE32.index(digit)
    return value & 0xFFFFFFFF
