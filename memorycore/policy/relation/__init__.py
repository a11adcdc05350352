"""How two texts relate: facts read from each, their difference, and the decision."""
