"""Chains that walk the tables of a release, and what they note down on the way.

lines/      a law as kernels take it (weights), one point of a line drawn from it (line, hypergeometric): hit-and-run
tallies/    credits of whole lines (Rao-Blackwellised) or of draws (tally), counters that grow (windows), how shares vary
            (spread)
kernels/    one file or folder each, with its walk, its class, what a step costs and when it fits; registry picks among them
chains/     units (blocks with their kernels), settings, starts, tuning, chain, run, standing, names, checkpoint,
            chain_state, diagnostics (split R-hat, effective sample size), batch_means, memory (what they take, before
            they start)

estimate        p(x|y) with its error
kept_tables     the tables themselves, thinned; drawn_tables: by chains or exactly
arviz_adapter   both for ArviZ
"""
