"""What is sensitive, figure by figure: the records of each are looked for anew, and added up by who contributes."""

from __future__ import annotations

import itertools

import numpy as np


def seen_of_figures(records, labels, value, rule, *, holding=None, sampling_weights=None, waived=None, requested=None):
    """{labels: (value, contributors, largest, sensitive, alone)} of each figure that somebody is in.

    `labels`: {dim: {label: the finest labels that it sums}}, totals among them.
    """
    found = {}
    for key in itertools.product(*labels.values()):
        inside = np.ones(len(records), dtype=bool)
        for dim, label in zip(labels, key, strict=True):
            inside &= records[dim].isin(labels[dim][label]).to_numpy()
        if inside.any():
            part = [row for row, is_in in enumerate(inside) if is_in]
            found[key] = _seen(records, part, value, rule, holding, sampling_weights, waived, requested)
    return found


def _seen(records, part, value, rule, holding, sampling_weights, waived, requested):
    def of(column, row, otherwise):
        return otherwise if column is None else records[column].iloc[row]

    weights = [of(sampling_weights, row, 1) for row in part]
    total = sum(of(value, row, 0) * weight for row, weight in zip(part, weights, strict=True))
    if any(weight != 1 for weight in weights):
        total = round(total)
    own, stands_for, agrees, asks = {}, {}, {}, {}
    for row, weight in zip(part, weights, strict=True):
        amount, name = of(value, row, 0), str(of(holding, row, row))
        if amount > 0:
            own[name] = own.get(name, 0) + amount
            stands_for[name] = max(stands_for.get(name, 0), weight)
            agrees[name] = agrees.get(name, True) and bool(of(waived, row, False))
            asks[name] = asks.get(name, False) or bool(of(requested, row, True))
    if not own:
        return total, 0, 0, False, ""
    top = min(own, key=lambda name: (-own[name], name))
    seen = [own[name] for name in sorted(own) for _ in range(max(1, round(stands_for[name])))]
    sensitive = bool(rule(np.array(seen))) and asks[top] and not agrees[top]
    return total, len(seen), own[top], sensitive, next(iter(own)) if len(own) == 1 else ""
