"""The figures of tables, cells and totals alike: what they are, how users name them, and who is alone in them."""
