"""All attacks at once: by turns, with what all of them saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import Attack


class Together:
    """An attacker who does everything."""

    name = "all of them by turns"
    words = "one request of each attack after the other; everything that came back is put together"

    def __init__(self, attacks: Sequence[Attack]) -> None:
        self.attacks = attacks

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """By turns, until all have ended."""
        plans = [attack.requests(evidence) for attack in self.attacks]
        while plans:
            for plan in list(plans):
                ask = next(plan, None)
                if ask is None:
                    plans.remove(plan)
                else:
                    yield ask

    def conclude(self, evidence: Evidence) -> None:
        """What each concludes."""
        for attack in self.attacks:
            attack.conclude(evidence)
