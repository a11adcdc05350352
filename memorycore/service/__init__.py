"""Where ports and policy meet."""
