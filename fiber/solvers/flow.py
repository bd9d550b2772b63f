"""Bounds, decided cells and independent parts of a network, from paths and cycles in it.

A flow can be changed only around cycles of the residual graph, of arcs that have room in the right direction, so that all of
this is a search for (augmenting) paths. Everything is exact in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import sparingly
from ...base.progress import Counted
from ..equations.graph_parts import strong_parts
from ..equations.network import Network
from .flow_kernel import Graph, Residual, biconnected, push

WORK_PER_CALL = 50_000_000
"""Places looked at between two reports of progress: a fraction of a second."""


@dataclass(frozen=True, eq=False)
class _Graph:
    """The ends of arcs sorted by node; see flow_kernel. `place[0]` is each arc's end at its tail, 1 at its head."""

    start: np.ndarray
    other: np.ndarray
    mate: np.ndarray
    place: np.ndarray


def _graph(tail: np.ndarray, head: np.ndarray, n_nodes: int) -> _Graph:
    n_arcs = len(tail)
    ends = np.concatenate([tail, head])
    order = np.argsort(ends, kind="stable")
    place = np.empty(2 * n_arcs, dtype=np.int64)
    place[order] = np.arange(2 * n_arcs)
    start = np.zeros(n_nodes + 1, dtype=np.int64)
    start[1:] = np.cumsum(np.bincount(ends, minlength=n_nodes))
    other = np.concatenate([head, tail])[order]
    mate = np.roll(place, n_arcs)[order]
    return _Graph(start, other, mate, place.reshape(2, n_arcs))


def independent_parts(network: Network, is_open: np.ndarray) -> np.ndarray:
    """A label for each open arc (-1 for the others), the same for two arcs if and only if some cycle has both.

    A loop and an arc that is on no cycle have a label of their own; the one is free, the other is decided.
    """
    label = np.full(len(network.tail), -1, dtype=np.int64)
    loop = network.tail == network.head
    arcs = np.flatnonzero(is_open & ~loop)
    graph = _graph(network.tail[arcs], network.head[arcs], network.n_nodes)
    arc_at = np.empty(2 * len(arcs), dtype=np.int64)
    arc_at[graph.place] = np.arange(len(arcs))
    label[arcs] = sparingly(biconnected, 10 * len(arcs))(graph.start, graph.other, arc_at, len(arcs))
    free = np.flatnonzero(is_open & loop)
    label[free] = label.max(initial=-1) + 1 + np.arange(len(free))
    return label


def moving_parts(network: Network, x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The independent parts of the arcs that can change, and -1 for arcs that have one value in every feasible flow.

    An arc is decided if its ends are in different strongly connected components of the residual graph (Gusfield 1988).
    """
    tail, head, n_nodes = network.tail, network.head, network.n_nodes
    up, down = np.flatnonzero(x < upper), np.flatnonzero(x > lower)
    away, towards = np.concatenate([tail[up], head[down]]), np.concatenate([head[up], tail[down]])
    component = strong_parts(n_nodes, away, towards)
    label = independent_parts(network, (component[tail] == component[head]) & (lower < upper))
    # An arc with room both ways is a cycle of its own in the residual graph, but a cycle that changes nothing. If no
    # other way joins its ends in either direction, it is the only arc between two sides of its component.
    size = np.bincount(label[label >= 0], minlength=1)
    label[(label >= 0) & (size[label] == 1) & (tail != head)] = -1
    return label


@dataclass(frozen=True, eq=False)
class _Pushing:
    """The arcs that can change and what has been pushed through them so far."""

    arcs: np.ndarray
    graph: _Graph
    residual: Residual

    def push(self, places: np.ndarray, first: int = 0, keep: bool = False) -> int:
        """Push through some places in turn, for a while; how many are done."""
        graph = Graph(self.graph.start, self.graph.other, self.graph.mate)
        return int(push(graph, self.residual, places, first, WORK_PER_CALL, keep))


def _pushing(network: Network, x: np.ndarray, lower: np.ndarray, upper: np.ndarray, label: np.ndarray) -> _Pushing:
    arcs = np.flatnonzero((label >= 0) & (network.tail != network.head))
    # Every part gets nodes of its own, so that no search strays into another part.
    ends = np.stack([network.tail[arcs], network.head[arcs]])
    nodes, (tail, head) = np.unique(label[arcs] * network.n_nodes + ends, return_inverse=True)
    graph = _graph(tail, head, len(nodes))
    room, back = np.empty((2, 2 * len(arcs)), dtype=np.int64)
    room[graph.place] = upper[arcs] - x[arcs], x[arcs] - lower[arcs]
    back[graph.place] = x[arcs] - lower[arcs], upper[arcs] - x[arcs]
    return _Pushing(arcs, graph, Residual(room, back, room.copy()))


def flow_bounds(
    network: Network,
    x: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    wanted: np.ndarray,
    progress: Counted | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value of each wanted arc in any feasible flow, from one feasible flow x.

    For each bound a maximum flow, by augmenting paths. One flow is pushed from bound to bound and never reset: the values
    that other arcs reach on the way count for them too.
    """
    if ((x < lower) | (x > upper)).any():
        raise ValueError("the flow to start from does not keep its limits.")
    low, high = x.copy(), x.copy()
    label = moving_parts(network, x, lower, upper)
    free = (label >= 0) & (network.tail == network.head)
    low[free], high[free] = lower[free], upper[free]
    # Few arcs should be between their limits, as each of them may have to be emptied on its own: in the table itself
    # nearly all are, so we begin with another flow.
    corner = _flow_with_balance(network, network.incidence @ x, lower, upper)
    assert corner is not None  # x is such a flow
    state = _pushing(network, corner, lower, upper, label)
    forth, back = state.graph.place
    is_wanted = np.zeros(len(x), dtype=bool)
    is_wanted[wanted] = True
    # In the order of a table each arc would take back what its neighbour has just gathered; at random it is three times
    # as fast. Greatest values first: an arc that takes all of a sum leaves the others of that sum at their least.
    chosen = np.random.default_rng(0).permutation(np.flatnonzero(is_wanted[state.arcs]))
    places = np.concatenate([forth[chosen], back[chosen]])
    done = 0
    while done < len(places):
        done = state.push(places, done)
        if progress is not None:
            progress(done, len(places))
    low[state.arcs] = lower[state.arcs] + state.residual.least_room[back]
    high[state.arcs] = upper[state.arcs] - state.residual.least_room[forth]
    return low[wanted], high[wanted]


def extreme_flow(
    network: Network, x: np.ndarray, lower: np.ndarray, upper: np.ndarray, arc: int, sign: int
) -> np.ndarray:
    """A feasible flow with the greatest (sign 1) or the least (sign -1) value of one arc."""
    flow = x.copy()
    if network.tail[arc] == network.head[arc]:
        flow[arc] = upper[arc] if sign > 0 else lower[arc]
        return flow
    label = moving_parts(network, x, lower, upper)
    if label[arc] < 0:
        return flow
    state = _pushing(network, x, lower, upper, np.where(label == label[arc], label, -1))
    at_tail, at_head = state.graph.place
    place = (at_tail if sign > 0 else at_head)[state.arcs == arc]
    while not state.push(place):
        pass  # a pause in which the user can interrupt
    flow[state.arcs] = lower[state.arcs] + state.residual.room[at_head]
    return flow


def feasible_flow(network: Network, A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """An integer x with A x = b and lower <= x <= upper, or None if there is none."""
    if (lower > upper).any():
        return None
    x = _flow_with_balance(network, network.combine @ b, lower, upper)
    # rows that were combined to nothing may still contradict each other
    return x if x is not None and (A @ x == b).all() else None


def _flow_with_balance(
    network: Network, balance: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray | None:
    """A flow of which each node but the outside keeps its balance, most arcs at a limit; None if there is none."""
    x = np.clip(0, lower, upper)
    missing = balance - network.incidence @ x
    missing = np.append(missing, -missing.sum())
    # What is too much at some nodes goes through the network, and through one hub, to where it is missing.
    giving, taking = np.flatnonzero(missing < 0), np.flatnonzero(missing > 0)
    hub, n_arcs = network.n_nodes, len(x)
    whole = Network(
        tail=np.concatenate([network.tail, np.full(len(giving), hub), taking]),
        head=np.concatenate([network.head, giving, np.full(len(taking), hub)]),
        n_nodes=hub + 1,
        combine=None,
    )
    nothing = np.zeros(len(giving) + len(taking), dtype=np.int64)
    low = np.concatenate([lower, nothing])
    high = np.concatenate([upper, -missing[giving], missing[taking]])
    state = _pushing(whole, np.concatenate([x, nothing]), low, high, np.where(low < high, 0, -1))
    is_giving = (state.arcs >= n_arcs) & (state.arcs < n_arcs + len(giving))
    places = state.graph.place[0][is_giving]
    done = 0
    while done < len(places):
        before, done = done, state.push(places, done, keep=True)
        if state.residual.least_room[places[before:done]].any():
            return None
    inner = state.arcs < n_arcs
    x[state.arcs[inner]] = lower[state.arcs[inner]] + state.residual.room[state.graph.place[1][inner]]
    return x
