"""Quoridor. Whoever asks for its rules gets its sensible moves too: search would not find them otherwise."""

from ludus.games.quoridor import guided as guided
