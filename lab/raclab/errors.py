"""Errors meant for the learner: one sentence that says what to do, and no traceback in a notebook."""


class LabError(Exception):
    """Something the learner or operator can put right; the message says how."""

    def _render_traceback_(self) -> list[str]:
        """IPython's hook: the sentence alone."""
        return [f"{type(self).__name__}: {self}"]
