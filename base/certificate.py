"""How far an answer can be trusted, in one word, a reason and the evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .html import doubt, in_notebook, points, sentence
from .saved_forms import saved

WORDS = ("exact", "connected", "unproven")
"""From strongest to weakest: solved, sampled by moves proven to reach everything, sampled without that proof."""
LIKELIHOODS = ("exact", "cellwise approximation", "support only")
"""How well P(published | truth) is known, from strongest to weakest: as it is; as if every cell were treated by itself;
only as which tables are possible."""

LAW_IN_DOUBT = "the law leaves something out"
"""What is said where a certificate has caveats."""


@saved("Certificate")
@dataclass(frozen=True)
class Certificate:
    """How far an answer can be trusted.

    `word` is "exact" (every table was counted, or the law solved), "connected" (chains walked by moves that are proven to
    reach every table, for the `reason` that is given) or "unproven" (they may not reach every table: `evidence` says what
    speaks for and against it). A reason that says *in principle only* proves that chains reach every table, and promises no
    time in which they do. Audits choose moves that are proven where they can; "unproven" are most moves of one's own
    (`fw.sample(moves=)`) and laws with gaps. Notebook 06 shows what to do about it.
    """

    word: str
    reason: str
    evidence: tuple[str, ...] = ()
    likelihood: str = LIKELIHOODS[0]
    """How well P(published | truth) is known of the methods that protected the table: the word of `Release.likelihood`."""
    caveats: tuple[str, ...] = ()
    """What the law itself leaves out of what was published, a sentence each."""

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise ValueError(f"a certificate is one of {WORDS}, not {self.word!r}")

    @staticmethod
    def weakest(certificates: Iterable[Certificate]) -> Certificate:
        """The first one of the weakest word."""
        return max(certificates, key=lambda certificate: WORDS.index(certificate.word))

    @staticmethod
    def together(certificates: Iterable[Certificate]) -> Certificate:
        """The weakest word of all, with every reason and all the evidence for it, each said once."""
        given = list(certificates)
        word = Certificate.weakest(given).word
        same = [certificate for certificate in given if certificate.word == word]
        reasons = dict.fromkeys(certificate.reason for certificate in same)
        evidence = dict.fromkeys(line for certificate in same for line in certificate.evidence)
        return Certificate(word, "; ".join(reasons), tuple(evidence))

    def _repr_html_(self) -> str | None:
        return in_notebook(certificate_html, self)


ALL_DECIDED = Certificate("exact", "the published figures decide every cell")
"""Of a release that leaves nothing open."""


def certificate_html(certificate: Certificate) -> str:
    """The word, the reason and the evidence; a word that leaves doubts is not to be overlooked."""
    words = f"{certificate.word}: {certificate.reason}"
    head = doubt(certificate.word, certificate.reason) if certificate.word == WORDS[-1] else sentence(words)
    if certificate.likelihood != LIKELIHOODS[0]:
        head += doubt(f"likelihood: {certificate.likelihood}")
    head += "".join(doubt(LAW_IN_DOUBT, caveat) for caveat in certificate.caveats)
    return head + points(certificate.evidence)
