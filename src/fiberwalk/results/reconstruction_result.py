"""Reconstruction: the people behind published tables, as probable as the tables make them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.certificate import Certificate
from ..base.errors import InputError
from ..base.numbers import check_whole
from ..base.progress import Progress, shown
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..posterior.records.claims import Claim, probability_of
from ..posterior.records.how_many import bits_at_most, bits_between, number_of_populations
from ..posterior.records.laws_of_kinds import portable_law
from ..posterior.records.rebuilt import Rebuilt
from .agreement_with_truth import AgreementWithTruth

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@saved("Reconstruction", kind="reconstruction")
@dataclass(frozen=True, eq=False, repr=False)
class Reconstruction:
    """Who may be behind published tables, and how probably. Made by `fw.reconstruct`."""

    rebuilt: Rebuilt
    settings: Mapping[str, Any]
    region: str | None = None

    def __repr__(self) -> str:
        doubt = "" if self.converged else ", NOT CONVERGED"
        figures = self.rebuilt.figures
        certain = int(((figures["records"] == 1) & (figures["lower"] >= 1)).sum())
        return (
            f"<Reconstruction of {', '.join(self.dims)}: {certain:,} records certain, "
            f"{int(figures['records'][figures['upper'] > 0].sum()):,} possible; {self.certificate.word}{doubt}>"
        )

    # --- what was found ---------------------------------------------------------------------------------------

    @property
    def dims(self) -> tuple[str, ...]:
        """The dims of the population."""
        return self.rebuilt.kinds.domain.names

    @property
    def law(self) -> str:
        """What was believed beforehand, by name."""
        return self.rebuilt.law.name

    @property
    def certificate(self) -> Certificate:
        """How far all this can be trusted, as for tables."""
        return self.rebuilt.belief.certificate

    @property
    def method(self) -> str:
        """ "exact", or "chains" if anything was sampled."""
        return self.rebuilt.belief.method

    @property
    def converged(self) -> bool:
        """Is every probability as certain as was asked for?"""
        return self.rebuilt.belief.converged and not self.rebuilt.belief.stopped

    @cached_property
    def records(self) -> pd.DataFrame:
        """Every record that may exist, the people who stand out most first.

        One row for each kind of people: one record, or several that no published figure tells apart (`records` is how many
        these are; the labels are then all that they may have). `p` is the probability that somebody is of a record, `p_once`
        that exactly one person is; of a kind with several records both are about each of them, and `p_kind` is the
        probability that somebody is of the kind. `expected` is the expected number of people of the kind, who are at least
        `lower` and at most `upper`. `p_above` is what somebody would give for `p` who knows the figures of all regions
        together and how many live in the region (with `region=`). `error` is the standard error of `p_kind`.
        """
        import pandas as pd

        from ..release.population.domain import shortly

        kinds, figures = self.rebuilt.kinds, self.rebuilt.figures
        columns: dict[str, Any] = {}
        for dim, name in enumerate(kinds.domain.names):
            every = kinds.domain.labels[dim]
            words: dict[tuple[str, ...], str] = {}
            shown_labels = []
            for kind in range(len(kinds)):
                own = kinds.labels(kind, dim)
                if own not in words:
                    words[own] = "any" if len(own) == len(every) > 1 else shortly(own)
                shown_labels.append(words[own])
            columns[name] = shown_labels
        columns |= {
            "records": figures["records"],
            "p": figures["p_record"],
            "p_once": figures["p_record_once"],
            "p_kind": figures["p_somebody"],
            "expected": figures["expected"],
            "lower": figures["lower"],
            "upper": figures["upper"],
        }
        if self.region is not None:
            columns["p_above"] = self.known_above
        columns["error"] = figures["p_error"]
        frame = pd.DataFrame(columns)
        gained = figures["p_record"] - (self.known_above if self.region is not None else 0.0)
        alone = figures["p_record_once"]
        order = np.lexsort((np.arange(len(frame)), -np.round(alone, 9), -np.round(gained, 9)))
        return frame.iloc[order[figures["upper"][order] > 0]].reset_index(drop=True)

    @cached_property
    def known_above(self) -> np.ndarray:
        """Of the records of each kind: what the figures of all regions together would tell of them."""
        from ..posterior.records.level_above import known_above

        assert self.region is not None
        dim = self.dims.index(self.region)
        return known_above(self.rebuilt.kinds, self.rebuilt.release.tables, dim, self.rebuilt.figures["expected"])[1]

    @property
    def certain(self) -> pd.DataFrame:
        """The records of which there is somebody in every population that agrees with the tables."""
        frame = self.records
        return frame[(frame["records"] == 1) & (frame["lower"] >= 1)]

    @cached_property
    def populations(self) -> int | None:
        """How many populations agree with the tables; None where they are too many to be counted. A population is how many
        people there are of each record."""
        return number_of_populations(self.rebuilt)

    @property
    def log10_populations(self) -> float:
        """The number of digits of `populations`, about; not a number where these were not counted: then
        `log10_populations_between` says between which numbers it lies."""
        return math.nan if self.populations is None else math.log10(self.populations)

    @cached_property
    def log10_populations_between(self) -> tuple[float, float]:
        """Between which powers of ten the number of populations lies; both are the same where they were counted.

        Parts that can be counted are. Of parts that were sampled, the lower end says what came up or is there in any case,
        and may be far too low; the upper end holds as far as the entropies do, which are taken with three standard errors.
        """
        if self.populations is not None:
            return (self.log10_populations,) * 2
        least, most = bits_between(self.rebuilt)
        return least * math.log10(2), most * math.log10(2)

    @cached_property
    def entropy(self) -> float:
        """Bits that are left to guess of the population: exact where all populations are as probable as each other and
        were counted, else at most so many (the entropies of the kinds that tell the others, and of how people fall among
        like records; estimates with three standard errors)."""
        if self.rebuilt.alike and not self.rebuilt.kinds.release.evidence and self.populations is not None:
            return math.log2(self.populations)
        return bits_at_most(self.rebuilt)

    @property
    def entropy_per_person(self) -> float:
        """The bits that are left to guess, shared among the people."""
        return self.entropy / self.people[1] if self.people[1] else 0.0

    @property
    def people(self) -> tuple[int, int]:
        """The least and the greatest number of people that the tables allow."""
        return self.rebuilt.people

    @property
    def variability(self) -> float:
        """Solution variability: the share of people in whom two populations that agree with the tables can differ, at most.

        Those who are there in every population are in both; the bound is not always attained.
        """
        most = self.people[1]
        return float(1 - self.rebuilt.figures["lower"].sum() / most) if most else 0.0

    # --- questions --------------------------------------------------------------------------------------------

    def probability(
        self,
        group: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        at_least: int = 1,
        at_most: int | None = None,
        progress: Progress | bool | None = None,
    ) -> float:
        """The probability that there are at least, and at most, so many people in a group; of several groups: in each.

        Parameters
        ----------
        group
            {dim or recode: label or labels}, or a list of such groups: a joint probability.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> people = fw.population({"sex": ["f", "m"], "age": ["young", "old"]})
        >>> by_sex = fw.table([3, 2], dims="sex", labels={"sex": ["f", "m"]})
        >>> by_age = fw.table([4, 1], dims="age", labels={"age": ["young", "old"]})
        >>> found = fw.reconstruct(people.published([by_sex, by_age]), law="hypergeometric")
        >>> round(found.probability({"sex": "f", "age": "old"}), 3)
        0.6
        """
        groups = [group] if isinstance(group, Mapping) else list(group)
        if not groups:
            raise InputError("probability() needs a group, or a list of groups.")
        for name, value in (("at_least", at_least), ("at_most", at_most)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0):
                raise InputError(f"probability({name}={value!r}): a whole number of at least 0.")
        domain = self.rebuilt.kinds.domain
        claims = [Claim(domain.inside(one, "probability()"), at_least, at_most) for one in groups]
        with shown(progress) as tell:
            p, _ = probability_of(self.rebuilt.release, self.settings["law"], claims, progress=tell)
        return p

    def draw(
        self, populations: int = 1, *, seed: int | None = 1, chains: int = 4, progress: Progress | bool | None = None
    ) -> pd.DataFrame:
        """Populations drawn from what is believed, as microdata: one person a row, `population` says of which."""
        import pandas as pd

        from ..posterior.records.drawn_people import drawn

        check_whole(populations=populations, chains=chains)
        domain, parts = self.rebuilt.kinds.domain, []
        with shown(progress) as tell:
            for number, people in enumerate(drawn(self.rebuilt, int(populations), seed, chains, tell)):
                frame = pd.DataFrame(
                    {
                        name: np.array(domain.labels[dim], dtype=object)[people[:, dim]]
                        for dim, name in enumerate(domain.names)
                    }
                )
                frame.insert(0, "population", number + 1)
                parts.append(frame)
        return pd.concat(parts, ignore_index=True)

    def tables_tell(self, *, progress: Progress | bool | None = None) -> pd.DataFrame:
        """Which table tells most: for each, what is certain and what is possible without it.

        `certain` is how many records would still be certain (as far as bounds show: at least so many), `possible`
        how many might exist. Neither is known where the other tables bound too little.
        """
        import pandas as pd

        from ..posterior.records.without_tables import without_each

        with shown(progress) as tell:
            rows = without_each(self.rebuilt, tell)
        return pd.DataFrame(rows, columns=["without", "certain", "possible"]).set_index("without").astype("Int64")

    def against(self, truth: pd.DataFrame) -> AgreementWithTruth:
        """What was believed, held to the people who there are: a frame with one person a row and a column for each dim."""
        from ..posterior.records.truth import held_to

        missing = [name for name in self.dims if name not in getattr(truth, "columns", ())]
        if missing:
            raise InputError(f"against(truth): the people have no column {missing[0]!r}.")
        held = held_to(self.rebuilt.kinds, [truth[name].to_numpy() for name in self.dims])
        figures = self.rebuilt.figures
        return AgreementWithTruth(figures["p_record"], figures["records"], held.occupied, held.impossible)

    # --- files and reports ------------------------------------------------------------------------------------

    def plot(self, ax: Axes | None = None) -> Figure:
        """How sure one can be of how many records."""
        from ..report.plots.certainty import draw_certainty

        return draw_certainty(self, ax)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """A report for people: what a snooper would know of whom, and how sure she would be."""
        from ..report.reconstruction_page import write_reconstruction

        write_reconstruction(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole reconstruction to a file, for `fiberwalk.load` to read: the tables as they were published and what
        was found of everybody. What else is asked of it later is solved then."""
        save(self, path)

    def _saved_form_(self) -> Reconstruction:
        law = portable_law(self.settings["law"], self.rebuilt.kinds.domain)
        return replace(self, settings={**self.settings, "law": law})
