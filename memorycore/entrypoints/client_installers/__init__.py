"""Writes the configuration of MCP clients on this machine: a diff first, a backup, then one atomic write."""
