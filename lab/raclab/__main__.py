"""``python -m raclab``."""

import sys

from raclab.cli import main

sys.exit(main())
