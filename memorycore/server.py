"""`python -m memorycore.server`: the MCP server on stdio, the command clients are configured with."""

import sys

from memorycore.entrypoints.serving import run_stdio
from memorycore.errors import MemoryCoreError

if __name__ == "__main__":
    try:
        run_stdio()
    except MemoryCoreError as fault:
        sys.exit(f"memorycore: {fault}")
