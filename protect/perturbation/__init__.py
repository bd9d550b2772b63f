"""Random changes of counts: transition matrices, noise, Markov perturbation."""
