"""How many cases a fuzz test takes: few hundreds in the suite, 10,000 where somebody asks for them.

HYPOTHESIS_PROFILE=ten_thousand (or --hypothesis-profile=ten_thousand) asks; the profile is registered in the root's conftest.py. Such
a run takes longer than the suite's limit for one test: add --timeout=0.
"""

from hypothesis import settings

PROFILE = "ten_thousand"


def cases(usual: int) -> int:
    """``max_examples`` for a test's settings: ``usual``, or the profile's 10,000."""
    return settings.default.max_examples if settings.get_current_profile_name() == PROFILE else usual
