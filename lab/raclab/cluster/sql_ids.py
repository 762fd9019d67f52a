"""Oracle's SQL_ID of a statement's text."""

import hashlib

_BASE32 = "0123456789abcdfghjkmnpqrstuvwxyz"  # the digits that Oracle writes a SQL_ID in


def sql_id(text: str) -> str:
    """Oracle's SQL_ID of a statement: the last eight bytes of its MD5 (with a zero byte at the end) in base 32."""
    digest = hashlib.md5(text.encode() + b"\0", usedforsecurity=False).digest()
    value = int.from_bytes(digest[8:12], "little") << 32 | int.from_bytes(digest[12:16], "little")
    return "".join(_BASE32[value >> 5 * place & 31] for place in range(12, -1, -1))
