"""What holds for every test: examples are the same in every run, and no example is too slow."""

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")
