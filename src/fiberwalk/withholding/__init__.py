"""Suppression until the sensitive cells are safe: by their intervals, and by what an intruder would believe of them.

`suppressing` is the verb, `suppression_result` what comes back, `program` what it runs, `search` finds patterns, and
`attempts` says whether they reach the targets, by beliefs as clear as that takes (`clear_beliefs`). `informed` audits for
the intruder who knows the program; `trials` says which tables it would have suppressed in the same way, and
`informed_targets` checks targets before her.
"""
