"""Memory governance beside an LLM agent."""
