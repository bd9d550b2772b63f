"""Every cycle of a network, against a slow and obvious twin."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.fiber.equations.network import Network
from fiberwalk.moves.families.cycles import Cycles


@st.composite
def networks(draw):
    """Up to ten arcs between up to five nodes, loops and arcs side by side among them."""
    n_nodes = draw(st.integers(1, 5))
    ends = draw(st.lists(st.tuples(*[st.integers(0, n_nodes - 1)] * 2), min_size=1, max_size=10))
    tail, head = np.array(ends).T
    return Network(tail, head, n_nodes, None)


def naive_network_cycles(network):
    """Sets of arcs that hang together and meet every node twice or not at all, with the signs by which they cancel."""
    found = set()
    arcs = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    for size in range(1, len(arcs) + 1):
        for some in itertools.combinations(range(len(arcs)), size):
            met = Counter(node for k in some for node in arcs[k])
            if set(met.values()) != {2} or len(met) != size:
                continue
            for signs in itertools.product((1, -1), repeat=size - 1):
                left, move = Counter(), [0] * len(arcs)
                for k, sign in zip(some, (1, *signs), strict=True):
                    left[arcs[k][0]] -= sign
                    left[arcs[k][1]] += sign
                    move[k] = sign
                # Two cycles side by side cancel as well, with more than one choice of signs; one that is whole has only one.
                if not any(left.values()) and hangs_together([arcs[k] for k in some]):
                    found.add(tuple(move))
    return found


def hangs_together(arcs):
    reached, grows = set(arcs[0]), True
    while grows:
        more = {node for arc in arcs if reached & set(arc) for node in arc}
        reached, grows = reached | more, not more <= reached
    return all(set(arc) <= reached for arc in arcs)


@examples(150)
@given(networks())
def test_all_cycles_of_any_network_are_listed_once(network):
    listed = Cycles(network).listed().toarray()
    assert len({tuple(row) for row in listed}) == len(listed)
    assert {tuple(row) for row in listed} == naive_network_cycles(network)
