"""The exact mechanisms under one protocol: how each publishes many times, and how an outsider reads one publication.

A case that claims an exact likelihood is held to it twice: what it publishes has the distribution that its evidence says,
and the truth ranks evenly in the posterior that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import fiberwalk as fw
from fiberwalk.protect.mechanism.mechanism import Mechanism
from fiberwalk.protect.perturbation.markov_perturbation import step
from fiberwalk.protect.perturbation.noise import as_noise
from fiberwalk.protect.perturbation.perturbation import Perturbation
from fiberwalk.protect.perturbation.transition_matrix import as_transitions
from fiberwalk.protect.rounding.random_rounding import RandomRounding

PTABLE = [
    [1, 0, 0, 0, 0],
    [0.4, 0.3, 0.2, 0.1, 0],
    [0.25, 0.2, 0.3, 0.15, 0.1],
    [0, 0.2, 0.2, 0.3, 0.3],
    [0, 0, 0.2, 0.2, 0.6],
]
"""A perturbation table as offices have them: zeros stay, small counts may become zero."""

SHAPE = (2, 2)
ROWS, COLUMNS = (6, 5), (7, 4)


@dataclass(frozen=True)
class Case:
    """A mechanism: `draw` publishes one truth n times, `read` gives the release of one publication."""

    name: str
    draw: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
    read: Callable[[np.ndarray], fw.Release]
    constant: float = 1.0
    """What the product of the evidence has to be multiplied with to be a probability."""


def totals() -> list[pd.Series]:
    """The margins that are published as they are, as an outsider has them."""
    return [
        pd.Series(list(sums), index=pd.Index([str(i + 1) for i in range(len(sums))], name=name))
        for name, sums in (("A", ROWS), ("B", COLUMNS))
    ]


def figurewise(name: str, mechanism: Mechanism, method: str, **parameters) -> Case:
    """A mechanism that treats figures one by one, beside exact row and column totals."""

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        numbers = rng.random(n * truth.size)
        return mechanism.publish(np.tile(truth.ravel(), n), numbers).reshape(n, truth.size)

    def read(published: np.ndarray) -> fw.Release:
        return fw.protect.as_protected(published.reshape(SHAPE), method, exact=totals(), **parameters)

    return Case(name, draw, read)


def sample(size: int) -> Case:
    """A sample without replacement, beside exact row and column totals of the population."""
    population = sum(ROWS)

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.multivariate_hypergeometric(truth, size, n)

    def read(published: np.ndarray) -> fw.Release:
        return fw.protect.as_protected(published.reshape(SHAPE), "draw_sample", exact=totals())

    return Case(f"a sample of {size}", draw, read, 1 / math.comb(population, size))


def markov(theta: float) -> Case:
    """One square."""
    square = [({"A": "1", "B": "1"}, {"A": "2", "B": "2"})]
    signs = np.array([1, -1, -1, 1])

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        found = np.tile(truth, (n, 1))
        for one in found:
            one += step(truth, theta, rng) * signs
        return found

    def read(published: np.ndarray) -> fw.Release:
        return fw.protect.as_protected(published.reshape(SHAPE), "markov_perturb", theta=theta, squares=square)

    return Case("Markov perturbation of one square", draw, read)


def pram(matrix: np.ndarray) -> Case:
    """Each unit's category of A drawn anew, beside exact row and column totals of the true table."""

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        counts = np.tile(truth.reshape(SHAPE), (n, 1, 1))
        return rng.multinomial(counts.swapaxes(1, 2), matrix).sum(axis=2).swapaxes(1, 2).reshape(n, -1)

    def read(published: np.ndarray) -> fw.Release:
        return fw.protect.as_protected(published.reshape(SHAPE), "pram", dim="A", matrix=matrix, exact=totals())

    return Case("post-randomisation", draw, read)


def blanked(rate: float) -> Case:
    """Each unit's category of A blanked with the same probability, beside exact row and column totals."""

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.binomial(truth, 1 - rate, (n, truth.size))

    def read(published: np.ndarray) -> fw.Release:
        return fw.protect.as_protected(published.reshape(SHAPE), "local_suppress", dim="A", rate=rate, exact=totals())

    return Case("local suppression at random", draw, read)


def cases() -> list[Case]:
    """Every random mechanism whose likelihood is exact. Simulated tables say nothing of cells, and have their own test."""
    matrix = np.array([[0.7, 0.3, 0, 0], [0.2, 0.5, 0.2, 0.1], [0.1, 0.2, 0.4, 0.3], [0, 0.1, 0.3, 0.6]])
    noise = {-2: 0.1, -1: 0.3, 0: 0.35, 1: 0.25}
    return [
        figurewise("random rounding", RandomRounding(3), "random_round", base=3),
        figurewise("perturbation", Perturbation(as_transitions(matrix)), "perturb", matrix=matrix),
        figurewise("noise with a floor", as_noise(noise, True, 0), "add_noise", noise=noise, floor=True),
        sample(4),
        markov(0.3),
        pram(np.array([[0.7, 0.3], [0.1, 0.9]])),
        blanked(0.3),
    ]


def claimed(release: fw.Release, truth: np.ndarray) -> float:
    """What the evidence of a release says of how probable its figures were for a truth."""
    log_p = 0.0
    for item in release.evidence:
        value = int(item.coefficients @ truth[item.cells]) - item.first
        if not 0 <= value < len(item.log_weights):
            return 0.0
        log_p += float(item.log_weights[value])
    return math.exp(log_p)
