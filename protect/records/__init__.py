"""Random changes of the records behind a table: swapping, sampling, simulation, post-randomisation, blanks."""
