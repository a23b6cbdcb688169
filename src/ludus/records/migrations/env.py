"""What alembic runs to upgrade a database, on the connection and in the transaction of `ludus.records.upgrading`."""

from __future__ import annotations

from alembic import context

from ludus.records.scheme import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE
)
context.run_migrations()
