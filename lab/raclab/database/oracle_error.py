"""Errors as the lab database reports them to a client: Oracle's code and one sentence that names the construct."""


class OracleError(Exception):
    """A statement failed.

    ``code`` is Oracle's number; ``message`` the sentence without the code; ``offset`` the 0-based place in the text, or None.
    """

    def __init__(self, code: int, message: str, offset: int | None = None) -> None:
        super().__init__(f"ORA-{code:05d}: {message}")
        self.code = code
        self.message = message
        self.offset = offset


def unsupported(what: str, offset: int | None = None) -> OracleError:
    """ORA-03001 for a construct that the simulated cluster does not have; ``what`` names it, e.g. "PL/SQL blocks"."""
    return OracleError(3001, f"unimplemented feature: the simulated cluster has no {what}", offset)
