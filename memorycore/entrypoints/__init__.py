"""Translation only: command line, MCP, scheduler."""
