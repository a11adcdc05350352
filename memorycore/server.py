"""`python -m memorycore.server`: the MCP server on stdio, the command clients are configured with."""

from memorycore.entrypoints.serving import run_stdio

if __name__ == "__main__":
    run_stdio()
