"""A cold store for several machines: the contract's tools over HTTP."""
