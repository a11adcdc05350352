"""One outside thing each: files, databases, models, remote services."""
