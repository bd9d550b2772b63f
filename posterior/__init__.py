"""What the snooper believes: p(x|y) for cells and sums, given a release and a law.

pmf            how probable each value is, and how well that is known
belief         believe(release, law): every hidden cell and every sum that is asked about
exact_block    a block solved, sampled a block walked by chains; sums puts blocks together
joint          several cells at once
most_probable  the likeliest table
square         one Markov-perturbed square of four cells
"""
