"""Audits, R-U maps and other results on disk: a zip file of one JSON document and its arrays, without pickle.

The same result gives the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from . import __version__
from .base.certificate import Certificate
from .base.errors import InputError
from .base.plain_form import Reader, Writer
from .base.text_files import written_whole
from .fiber.laws.cell_priors.beta_binomial_prior import BetaBinomial, BetaBinomialWithin
from .fiber.laws.cell_priors.frequencies import Frequencies
from .fiber.laws.cell_priors.log_normal_prior import LogNormal
from .fiber.laws.cell_priors.unimodal_prior import Unimodal
from .fiber.laws.contributor_law import PerContributor
from .fiber.laws.expected_counts import Expected
from .fiber.laws.hypergeometric import Hypergeometric
from .fiber.laws.priors import Prior
from .fiber.laws.uniform import Uniform
from .frames.respondents import Respondent
from .posterior.belief import Belief
from .posterior.parts.pmf import Pmf
from .posterior.paths.hidden_path import PathBelief
from .protect.perturbation.elementary_squares import Squares
from .protect.perturbation.markov_perturbation import MarkovPerturbation
from .protect.perturbation.noise import Noise
from .protect.perturbation.perturbation import Perturbation
from .protect.perturbation.theta_prior import ThetaPrior
from .protect.perturbation.transition_matrix import Transitions
from .protect.records.record_swapping import Swapping
from .protect.records.sample_drawing import Sampling
from .protect.rounding.random_rounding import RandomRounding
from .protect.rounding.rounding import Ranges
from .release.facts.facts import Applied, Evidence, Grid, Protection, Sums
from .release.release import Release
from .release.tables.dims import Dim, Level
from .results.audit_result import Audit
from .results.map_result import RUMap, Run
from .results.margin_sets import MarginSets
from .results.sample_risk_result import SampleRisk
from .studies.sample_studies import SampleStudy
from .studies.table_studies import TableStudy

FORMAT = 1
"""Raised when older versions could no longer read what is written; new fields and classes do not need that."""
DOCUMENT = "audit.json"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time stamp of every member: when a file was written is no part of an audit."""


@dataclass(frozen=True)
class UnknownLaw:
    """What a file keeps of a law of the user's own: what it was called, not its weights."""

    name: str
    words: str
    call: str
    """What a report writes for it."""

    def on(self, release: Release) -> NoReturn:
        """Refused: there are no weights."""
        raise InputError(
            f"this audit was loaded from a file, which holds the answers under the law {self.name!r} but not its weights; "
            "audit the release again with law=, then ask."
        )


CLASSES: tuple[type, ...] = (
    Audit, Belief, Pmf, Certificate, Release, Dim, Level, Grid, Sums, Evidence, Applied, Protection,
    Respondent, Uniform, Hypergeometric, Expected, Prior, BetaBinomial, BetaBinomialWithin, Unimodal, Frequencies,
    LogNormal, PerContributor,
    MarkovPerturbation, Squares, ThetaPrior, RandomRounding, Ranges, Perturbation, Transitions, Noise, Swapping,
    Sampling, PathBelief, UnknownLaw, RUMap, Run, SampleRisk, MarginSets, SampleStudy, TableStudy,
)  # fmt: skip

Result = Audit | RUMap | SampleRisk | MarginSets | SampleStudy | TableStudy
KINDS: dict[str, type] = {
    "audit": Audit, "map": RUMap, "sample risk": SampleRisk, "margins": MarginSets, "sample study": SampleStudy,
    "table study": TableStudy,
}  # fmt: skip
"""What a file may hold, by the word that says so in it."""


def save_result(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result to a file, which appears whole or not at all."""
    writer = Writer(CLASSES, _portable)
    kind = next(word for word, one in KINDS.items() if isinstance(result, one))
    document = {"fiberwalk": kind, "format": FORMAT, "version": __version__}
    document |= {kind: writer.plain(result), "objects": writer.objects}
    with written_whole(path) as temporary, zipfile.ZipFile(temporary, "w") as file:
        _add(file, DOCUMENT, json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
        for name, array in writer.arrays().items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            _add(file, f"{name}.npy", content.getvalue())


def load(path: str | os.PathLike[str]) -> Any:
    """The audit that `Audit.save` wrote to a file, or what `save` of a map, sets of margins, sample risk or study did.

    Whatever could be asked of it before can be asked again, except for what needs the weights of a law of your own:
    its name is kept, its weights are not. The file runs no code, so that one from others can be opened.

    Examples
    --------
    >>> import tempfile, os
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a.save(os.path.join(folder, "audit.fw"))
    ...     again = fw.load(os.path.join(folder, "audit.fw"))
    >>> again.cells.equals(a.cells)
    True
    """
    name = _check_readable(path)
    try:
        with zipfile.ZipFile(path) as file:
            if DOCUMENT not in file.namelist():
                raise InputError(f"{name}: this is no audit saved by fiberwalk.")
            document = json.loads(file.read(DOCUMENT))
            _check_kind(name, document)
            arrays = {
                one.removesuffix(".npy"): np.load(io.BytesIO(file.read(one)), allow_pickle=False)
                for one in file.namelist()
                if one.endswith(".npy")
            }
        found = Reader(CLASSES, arrays, document["objects"]).made(document[document["fiberwalk"]])
    except InputError as problem:
        raise InputError(str(problem) if str(problem).startswith(name) else f"{name}: {problem}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise InputError(f"{name}: the file is damaged or was cut short; save the audit again.") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror or problem}).") from None
    if not isinstance(found, KINDS[document["fiberwalk"]]):
        raise InputError(f"{name}: the file is damaged or was cut short; save the audit again.")
    return found


def _add(file: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system, member.external_attr = 3, 0o644 << 16  # the same on every system
    file.writestr(member, content)


def _check_readable(path: str | os.PathLike[str]) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a file is named by its path; this is {path!r}.")
    name = os.fspath(path)
    if Path(path).is_dir():
        raise InputError(f"{name}: this is a folder, not a file.")
    try:
        with open(path, "rb") as file:
            begin = file.read(2)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file.") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror}).") from None
    if begin != b"PK":
        raise InputError(f"{name}: this is no audit saved by fiberwalk.")
    return str(name)


def _check_kind(name: str, document: Any) -> None:
    if not isinstance(document, dict) or document.get("fiberwalk") not in KINDS:
        raise InputError(f"{name}: this is no audit saved by fiberwalk.")
    if document["format"] > FORMAT:
        raise InputError(
            f"{name}: this audit was saved by fiberwalk {document['version']} in a newer format "
            f"({document['format']}; this version, {__version__}, reads up to {FORMAT}): upgrade fiberwalk."
        )


def _portable(item: Any) -> Any:
    """Laws in plain data: figures matched to the cells of the release; of a law that is not one of ours, its name."""
    if isinstance(item, Belief):
        return replace(item, law=_on_paper(item.law, item.release))
    if isinstance(item, Audit):
        return replace(item, settings={**item.settings, "law": _on_paper(item.settings.get("law"), item.release)})
    if type(item) not in CLASSES and all(hasattr(item, part) for part in ("on", "words", "name")):
        return UnknownLaw(str(item.name), str(item.words), getattr(item, "call", type(item).__name__))
    return item


def _on_paper(law: Any, release: Release) -> Any:
    return law.portable(release) if hasattr(law, "portable") else law
