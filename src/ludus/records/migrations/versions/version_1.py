"""Version 1: the matches of the GGP manager, as `ggp.sqlite` had them before there were other records."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """From nothing."""
    op.create_table(
        "match",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("completed", sa.BigInteger, nullable=False),
        sa.Column("aborted", sa.BigInteger, nullable=False),
        sa.Column("tournament", sa.Text),
        sa.Column("head", sa.Text, nullable=False),
    )
    op.create_table(
        "seat",
        sa.Column("match", sa.Text, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("goal", sa.BigInteger),
    )
    op.create_table(
        "step",
        sa.Column("match", sa.Text, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("moves", sa.Text),
        sa.Column("errors", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_index("match_started", "match", ["started"])
