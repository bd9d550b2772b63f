"""Audits on disk: what comes back is the audit that was saved, and what is no such file is told in one sentence."""

from __future__ import annotations

import json
import warnings
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.effort import examples
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.posterior.parts.pmf import Pmf
from fiberwalk.release.facts.facts import Evidence
from fiberwalk.report.page import report_page
from fiberwalk.results.audit_result import Audit

TABLE = pd.DataFrame([[1, 5, 4], [7, 2, 6], [3, 8, 9]], index=list("abc"), columns=list("xyz"))
TABLE.index.name, TABLE.columns.name = "row", "col"
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]


def assert_same(one: Audit, two: Audit) -> None:
    pd.testing.assert_frame_equal(one.cells, two.cells, check_exact=True)
    assert repr(one) == repr(two)
    assert repr(one.release) == repr(two.release)
    assert (one.tables, one.method, one.certificate, one.stopped, one.converged) == (
        two.tables, two.method, two.certificate, two.stopped, two.converged
    )  # fmt: skip
    for before, after in zip(one.belief.pmfs, two.belief.pmfs, strict=True):
        for name in Pmf.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    pd.testing.assert_frame_equal(fw.bounds(one.release), fw.bounds(two.release))
    assert list(one.readings) == list(two.readings)
    for name in one.readings:
        assert_same(one.readings[name], two.readings[name])


def again(audit: Audit, path: Path) -> Audit:
    audit.save(path)
    return fw.load(path)


@settings(examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(worlds(), st.sampled_from(["uniform", "hypergeometric"]))
def test_any_audit_comes_back(tmp_path, world, law):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "law 'hypergeometric'")
        audit = fw.audit(world.release, law, hidden_margins=world.hidden_margins, limit=10**8)
    assert_same(audit, again(audit, tmp_path / "audit.fw"))


def test_a_loaded_audit_answers_like_the_one_saved(tmp_path):
    release = fw.suppress(TABLE, rule="< 3", where=SQUARE, rule_known=True)
    audit = fw.audit(release, hidden_margins=["row"])
    loaded = again(audit, tmp_path / "audit.fw")
    assert audit.readings  # the rule may or may not be known to have hidden every cell
    assert_same(audit, loaded)
    assert loaded.settings == audit.settings
    assert report_page(loaded) == report_page(audit)
    pd.testing.assert_series_equal(loaded.pmf(row="a", col="x"), audit.pmf(row="a", col="x"))
    pd.testing.assert_frame_equal(loaded.protection(percent=50), audit.protection(percent=50))
    pd.testing.assert_frame_equal(loaded.deceptive(), audit.deceptive())
    assert len(loaded.plot().axes) == len(audit.plot().axes)
    assert not loaded.release.lower.flags.writeable


def test_the_same_audit_is_the_same_bytes(tmp_path):
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    audit.save(tmp_path / "one")
    fw.load(tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with zipfile.ZipFile(tmp_path / "one") as file:
        assert {member.date_time[0] for member in file.infolist()} == {1980}


def test_expected_counts_are_kept_by_their_labels(tmp_path):
    means = TABLE.T.iloc[::-1] + 0.5
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE), law=fw.laws.expected(means))
    loaded = again(audit, tmp_path / "audit.fw")
    assert_same(audit, loaded)
    assert_same(audit, fw.audit(loaded.release, law=loaded.belief.law))
    pd.testing.assert_series_equal(loaded.joint(SQUARE[:2]), audit.joint(SQUARE[:2]))
    assert loaded.most_probable_table().identical(audit.most_probable_table())


@dataclass(frozen=True)
class Own:
    name: str = "mine"
    words: str = "small values are likely"

    def on(self, release):
        return lambda cell, first, last: -np.arange(first, last + 1.0)


def test_a_law_of_ones_own_is_kept_by_name_only(tmp_path):
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE), law=Own())
    loaded = again(audit, tmp_path / "audit.fw")
    assert_same(audit, loaded)
    assert loaded.belief.law.words == "small values are likely"
    with pytest.raises(fw.InputError, match="holds the answers under the law 'mine' but not its weights"):
        loaded.joint(SQUARE[:2])


def test_sampled_answers_evidence_and_large_numbers_survive(tmp_path):
    release = fw.suppress(TABLE, where=SQUARE)
    seen = Evidence(np.array([0]), np.array([1]), 0, np.array([-1.0, -np.inf, -2.0, -0.5]), "seen through noise")
    audit = fw.audit(replace(release, evidence=(seen,)))
    wide = Pmf(
        0, np.array([0.25, 0.75]), np.array([True, True]), 0, 15, 16, 3.8, width=8, method="chains", ess=450.5,
        rhat=np.nan, certificate=Certificate("unproven", "why", ("much",)), p_error=np.array([0.01, 0.01]),
        converged=False, sharp=False,
    )  # fmt: skip
    belief = replace(audit.belief, pmfs=(wide, *audit.belief.pmfs[1:]), tables=10**5000, stopped="by the clock")
    loaded = again(replace(audit, belief=belief), tmp_path / "audit.fw")
    assert_same(replace(audit, belief=belief), loaded)
    assert loaded.tables == 10**5000
    np.testing.assert_array_equal(loaded.release.evidence[0].log_weights, seen.log_weights)


def test_respondents_are_kept(tmp_path):
    release = fw.suppress(fw.table(TABLE, contributors=TABLE * 0 + 1), where=SQUARE)
    audit = fw.audit(release, intruders="respondents")
    loaded = again(audit, tmp_path / "audit.fw")
    assert len(audit.respondents)
    pd.testing.assert_frame_equal(loaded.respondents, audit.respondents)
    assert_same(loaded.seen_by(SQUARE[0]), audit.seen_by(SQUARE[0]))


def test_what_is_no_saved_audit(tmp_path):
    path = tmp_path / "audit.fw"
    with pytest.raises(fw.InputError, match="audit.fw: there is no such file"):
        fw.load(path)
    with pytest.raises(fw.InputError, match="this is a folder, not a file"):
        fw.load(tmp_path)
    with pytest.raises(fw.InputError, match="named by its path; this is a int"):
        fw.load(3)
    path.write_text("A,B,value\n")
    with pytest.raises(fw.InputError, match="audit.fw: this is no result saved by fiberwalk"):
        fw.load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("other.txt", "")
    with pytest.raises(fw.InputError, match="this is no result saved by fiberwalk"):
        fw.load(path)


def changed(path: Path, change) -> None:
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    document = json.loads(members["audit.json"])
    change(document)
    members["audit.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


def test_newer_and_strange_files(tmp_path):
    path = tmp_path / "audit.fw"
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    audit.save(path)
    changed(path, lambda d: d["objects"].insert(0, {"Oracle": {}}))
    with pytest.raises(fw.InputError, match="audit.fw: it holds a 'Oracle', which this version does not know"):
        fw.load(path)
    audit.save(path)
    changed(path, lambda d: d["objects"][-1]["Audit"].update(colour=1))
    with pytest.raises(fw.InputError, match="its Audit has 'colour', which this version does not know"):
        fw.load(path)
    changed(path, lambda d: d.update(format=99, version="9.9"))
    with pytest.raises(fw.InputError, match="saved by fiberwalk 9.9 in a newer format .99; .* upgrade fiberwalk"):
        fw.load(path)
    changed(path, lambda d: d.pop("fiberwalk"))
    with pytest.raises(fw.InputError, match="this is no result saved by fiberwalk"):
        fw.load(path)


@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_a_file_that_was_cut_short_or_damaged(tmp_path, part):
    path = tmp_path / "audit.fw"
    fw.audit(fw.suppress(TABLE, where=SQUARE)).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(fw.InputError, match="damaged or was cut short"):
        fw.load(path)
    middle = len(whole) // 3
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    with pytest.raises(fw.InputError, match="damaged or was cut short"):
        fw.load(path)


def test_what_cannot_be_written(tmp_path):
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    with pytest.raises(fw.InputError, match="cannot be written"):
        audit.save(tmp_path / "nowhere" / "audit.fw")
    audit.save(tmp_path / "audit.fw")
    before = (tmp_path / "audit.fw").read_bytes()
    with pytest.raises(fw.InputError, match="a result with a complex in it cannot be saved"):
        replace(audit, settings={"law": "uniform", "odd": 1j}).save(tmp_path / "audit.fw")
    assert (tmp_path / "audit.fw").read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["audit.fw"]
