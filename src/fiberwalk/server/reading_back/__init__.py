"""What an answer tells of the truth, as a release.

protected_cube  of counts from a cube that was protected beforehand
amounts         of weighted counts and sums
counts          of counts, by the method and the numbers that made them; which of these readings an answer needs
"""
