"""Networks and tables, and how they are kept on disk. Nothing here knows how they are learned."""
