"""The connected parts of a graph, weakly or strongly.

Mostly all that has an edge is one part, which a few rounds of a search from one node show; only where they do not is scipy's
csgraph loaded, which takes longer than to solve a small table.
"""

from __future__ import annotations

import numpy as np

ROUNDS = 12
"""In tables everything is a few steps from everything else; a longer way is left to csgraph."""


def joined_parts(n_nodes: int, away: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """The part of each node: two nodes are in one if edges lead from one to the other, whichever way they point."""
    return _parts(n_nodes, np.concatenate([away, towards]), np.concatenate([towards, away]), strong=False)


def strong_parts(n_nodes: int, away: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """The part of each node: two nodes are in one if ways along the edges lead from each to the other."""
    return _parts(n_nodes, away, towards, strong=True)


def _parts(n_nodes: int, away: np.ndarray, towards: np.ndarray, *, strong: bool) -> np.ndarray:
    has_edge = np.zeros(n_nodes, dtype=bool)
    has_edge[away] = has_edge[towards] = True
    if _reaches(has_edge, away, towards) and (not strong or _reaches(has_edge, towards, away)):
        # numbered in the order of the nodes, as csgraph does
        first = np.where(has_edge, np.argmax(has_edge) if n_nodes else 0, np.arange(n_nodes))
        return np.unique(first, return_inverse=True)[1]
    import scipy.sparse as sp

    graph = sp.coo_array((np.ones(len(away), dtype=np.int8), (away, towards)), shape=(n_nodes, n_nodes))
    label = sp.csgraph.connected_components(graph, directed=strong, connection="strong")[1]
    return np.asarray(label, dtype=np.int64)


def _reaches(wanted: np.ndarray, away: np.ndarray, towards: np.ndarray) -> bool:
    """Do a few rounds, from the first node that is wanted along all edges, come to every other one?"""
    reached = np.zeros(len(wanted), dtype=bool)
    reached[np.flatnonzero(wanted)[:1]] = True
    for _ in range(ROUNDS):
        if (reached >= wanted).all():
            return True
        reached[towards[reached[away]]] = True
    return bool((reached >= wanted).all())
