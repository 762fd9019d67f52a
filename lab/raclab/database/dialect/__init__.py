"""Oracle's SQL for DuckDB: parsed and printed by sqlglot, with rules for what the two databases do differently."""
