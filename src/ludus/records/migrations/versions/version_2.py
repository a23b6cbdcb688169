"""Version 2: games at tables, with seats, steps, analysis and rulesheets; the GGP manager's matches under names of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """From version 1."""
    _rename_matches()
    op.create_table(
        "sheets",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("sheet", sa.Text, sa.ForeignKey("sheets.digest")),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("position", sa.Text),
        sa.Column("clock", sa.Text),
        sa.Column("options", sa.Text),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("changed", sa.BigInteger, nullable=False),
        sa.Column("plies", sa.BigInteger, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
    )
    op.create_index("games_started", "games", ["started", "id"])
    op.create_index("games_over", "games", ["over", "changed"])
    op.create_table(
        "seats",
        sa.Column("game", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("player", sa.Text),
        sa.Column("level", sa.Text),
        sa.Column("seconds", sa.Float),
        sa.Column("key_hash", sa.Text),
    )
    op.create_index("seats_who", "seats", ["who"])
    op.create_table(
        "steps",
        sa.Column("game", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.BigInteger),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("moves", sa.Text, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("spent", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "analysis",
        sa.Column("game", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("ply", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("player", sa.Text, primary_key=True),
        sa.Column("values", sa.Text),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("pragma user_version = 2")  # a ludus of version 1 looks here, and refuses the file


def _rename_matches() -> None:
    for old, new in (("match", "ggp_matches"), ("seat", "ggp_seats"), ("step", "ggp_steps")):
        op.rename_table(old, new)
    op.drop_index("match_started", "ggp_matches")
    op.create_index("ggp_matches_started", "ggp_matches", ["started", "id"])
    op.add_column("ggp_matches", sa.Column("words", sa.Text, nullable=False, server_default=""))
    matches = sa.table("ggp_matches", sa.column("id"), sa.column("game"), sa.column("words"))
    seats = sa.table("ggp_seats", sa.column("match"), sa.column("player"))
    connection = op.get_bind()
    for identifier, game in connection.execute(sa.select(matches.c.id, matches.c.game)).all():
        players = connection.execute(sa.select(seats.c.player).where(seats.c.match == identifier)).scalars()
        words = "\n".join(str(word).casefold() for word in (identifier, game, *players))
        connection.execute(sa.update(matches).where(matches.c.id == identifier).values(words=words))
