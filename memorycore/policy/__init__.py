"""The rules: pure functions of their arguments, with no clock, file, log, environment or network."""
