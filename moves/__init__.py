"""Steps that change a table and no published figure, each set with its certificate.

move_set        what every family offers; listed, mixture: moves from a list, several families together
swaps           complete two-way tables; row_pairs: with some cells missing (two_way)
cycles          two-way tables with hidden or bounded cells, 2 x J x K; short_cycles: a quick list of them
margins         complete tables of margins: data swaps, and moves of parts (part_bases, known_bases) lifted to the table
graver, algebra bases of any small block, our own and 4ti2's
lattice         sums of lattice vectors; adaptive_lattice: vectors of random bases that the table leaves room for
sub_tables      small parts redrawn as a whole (every_table)
chooser         the best proven moves for each block of a release
connectivity    a check on small fibers, by walking through every table
random_words    random numbers inside kernels
"""
