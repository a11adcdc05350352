"""Overflow: which hot entries may leave under which pressure, and what stays in their place."""
