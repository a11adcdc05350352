"""Measurements and training: not part of the installed package."""
