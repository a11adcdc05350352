"""The MCP server: tools, resources and a prompt over one core; transports are beside it."""
