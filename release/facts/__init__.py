"""What can be said of the cells of a table: facts and evidence, statuses, contributions, outside knowledge."""
