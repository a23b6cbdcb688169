"""Doors to other people's programs: our players at their tables, their environments around our games."""
