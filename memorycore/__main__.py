"""`python -m memorycore`: the command line."""

import sys

from memorycore.entrypoints.cli import main

if __name__ == "__main__":
    sys.exit(main())
