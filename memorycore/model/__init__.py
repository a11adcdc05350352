"""Values that every layer shares: frozen, slotted, standard library only."""
