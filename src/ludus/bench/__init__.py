"""How fast ludus is, beside its peers, measured in the same run: `ludus bench`."""
