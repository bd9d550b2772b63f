"""What tests of methods that move records share: laws held to observed tables, and facts to what is published."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.stats import chisquare

import fiberwalk as fw


def far_off(counts: dict[bytes, int], law: dict[bytes, float]) -> bool:
    """Do observed tables contradict a law? One honest run in a million does; small cells are taken together."""
    n = sum(counts.values())
    if not set(counts) <= {one for one, p in law.items() if p > 0}:
        return True
    keys = sorted(law, key=law.__getitem__, reverse=True)
    seen, wanted, rest_seen, rest_wanted = [], [], 0, 0.0
    for key in keys:
        if n * law[key] >= 5:
            seen.append(counts.get(key, 0))
            wanted.append(n * law[key])
        else:
            rest_seen, rest_wanted = rest_seen + counts.get(key, 0), rest_wanted + n * law[key]
    if rest_wanted > 0:
        seen.append(rest_seen)
        wanted.append(rest_wanted)
    wanted = np.array(wanted) * (sum(seen) / sum(wanted))
    return bool(chisquare(seen, wanted).pvalue < 1e-6)


def counted(tables) -> dict[bytes, int]:
    found: dict[bytes, int] = defaultdict(int)
    for one in tables:
        found[np.ascontiguousarray(one, dtype=np.int64).tobytes()] += 1
    return found


def check_facts(release: fw.Release) -> None:
    """What was said to be kept is kept: true and published table agree with every fact, and evidence allows the truth."""
    for values in (release.truth, release.figures):
        sums = release.sums.matrix @ values
        assert (sums == release.sums.lower).all()
        assert (sums == release.sums.upper).all()
        assert (values >= release.lower).all()
        assert (values <= release.upper).all()
    for one in release.evidence:
        at = int(release.truth[one.cells[0]]) - one.first
        assert 0 <= at < len(one.log_weights)
        assert one.log_weights[at] > -np.inf
        assert one.figure == release.figures[one.cells[0]]
