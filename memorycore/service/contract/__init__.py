"""The conformance suite of the cold-store contract."""
