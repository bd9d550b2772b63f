"""Commands that protect a table, or compare how it could be protected, and what these share.

protect       by one method
cheapest      by whichever of several keeps most among those that reach a target on probabilities
ru_map        ... compared on a map of risk and utility
mechanisms    what --mechanism 'NAME KEY=VALUE,...' says
method_notes  what a note for the agency tells of a method
"""
