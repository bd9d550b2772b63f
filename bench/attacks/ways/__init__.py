"""The attacks, one a file.

attack         what an attack is
differencing   with and without one label
overlapping    filters that overlap
averaging      random sets of labels and their complements
zero_tests     levels and dims that do not split
refusals       labels chosen by what was refused
forms          the same request in every form
together       all of them by turns
every_figure   the benchmark: every distinct figure, once
"""
