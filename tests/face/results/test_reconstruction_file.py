"""Reconstructions on disk: what comes back is what was saved, and nothing that was not published is in the file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.saved_results import of_people

import fiberwalk as fw
from fiberwalk.report.reconstruction_page import reconstruction_page

GROUP = [{"age": 2}, {"sex": "f", "old": "yes"}]


def again(found, path):
    found.save(path)
    return fw.load(path)


def test_a_loaded_reconstruction_answers_like_the_one_saved(tmp_path):
    found = of_people()
    loaded = again(found, tmp_path / "people.fw")
    pd.testing.assert_frame_equal(loaded.records, found.records, check_exact=True)
    pd.testing.assert_frame_equal(loaded.certain, found.certain)
    assert repr(loaded) == repr(found)
    for name in ("law", "method", "certificate", "populations", "entropy", "people", "variability", "region"):
        assert getattr(loaded, name) == getattr(found, name), name
    assert loaded.probability(GROUP, progress=False) == found.probability(GROUP, progress=False)
    pd.testing.assert_frame_equal(loaded.draw(3, seed=2), found.draw(3, seed=2))
    truth = found.draw(1, seed=5).drop(columns="population")
    assert loaded.against(truth).log_score == found.against(truth).log_score
    pd.testing.assert_frame_equal(loaded.tables_tell(progress=False), found.tables_tell(progress=False))
    assert reconstruction_page(loaded) == reconstruction_page(found)


def test_more_can_be_told_to_a_loaded_release(tmp_path):
    loaded = again(of_people(), tmp_path / "people.fw")
    release = loaded.rebuilt.release
    assert repr(release) == "<PopulationRelease of age, sex, town: 2 tables, 2 further facts>"
    more = fw.reconstruct(release.knows({"age": 5}, exactly=0), progress=False)
    assert more.probability({"age": 5}, progress=False) == 0
    with pytest.raises(fw.Contradiction):
        fw.reconstruct(release.knows({"age": 0}, exactly=0), progress=False)  # the youngest woman is 0


def test_a_sampled_one_keeps_its_errors_and_doubts(tmp_path):
    labels = {"sex": ["f", "m"], "age": list("0123")}
    tables = [fw.table(v, dims=d, labels={d: labels[d]}) for v, d in (([9, 8], "sex"), ([4, 5, 4, 4], "age"))]
    found = fw.reconstruct(
        fw.population(labels).published(tables), method="chains", max_draws=1024, tolerance=1e-4, progress=False
    )
    loaded = again(found, tmp_path / "people.fw")
    assert not loaded.converged
    assert (loaded.records["error"] > 0).any()
    pd.testing.assert_frame_equal(loaded.records, found.records, check_exact=True)


def test_the_same_reconstruction_is_the_same_bytes(tmp_path):
    found = of_people()
    again(found, tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_two_truths_with_the_same_publication_give_the_same_file(tmp_path):
    """The tables are handed over as their agency has them, with the truth and its seed."""
    labels = {"age": ["0", "1"], "sex": ["f", "m"]}
    files = []
    for number, values in enumerate(([[20, 0], [0, 20]], [[0, 20], [20, 0]])):
        truth = fw.table(np.array(values) * 1_000_003, dims=list(labels), labels=labels)
        hidden = fw.suppress(truth, where=[{"age": a, "sex": s} for a in "01" for s in "fm"], margins=["age", "sex"])
        found = fw.reconstruct(fw.population(labels).published({"both": hidden}), progress=False)
        found.save(tmp_path / str(number))
        files.append((tmp_path / str(number)).read_bytes())
        assert not found.rebuilt.release.tables[0].release.truth
    assert files[0] == files[1]
    rounded = [
        fw.protect.random_round(fw.table([3, 6], dims="sex", labels={"sex": ["f", "m"]}), 3, seed=s) for s in (1, 2)
    ]
    for number, one in enumerate(rounded):  # multiples of 3 stay, whatever the seed
        fw.reconstruct(fw.population({"sex": ["f", "m"]}).published([one]), progress=False).save(tmp_path / str(number))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_expected_counts_are_kept_by_their_labels(tmp_path):
    labels = {"sex": ["f", "m"], "age": ["0", "1"]}
    release = fw.population(labels).published(
        [
            fw.table([3, 2], dims="sex", labels={"sex": ["f", "m"]}),
            fw.table([4, 1], dims="age", labels={"age": ["0", "1"]}),
        ]
    )
    means = pd.Series([9.5, 0.5, 0.5, 9.5], pd.MultiIndex.from_product([["1", "0"], ["m", "f"]], names=["age", "sex"]))
    found = fw.reconstruct(release, fw.laws.expected(means), progress=False)
    loaded = again(found, tmp_path / "people.fw")
    claim = {"sex": "f", "age": "1"}
    assert loaded.probability(claim, progress=False) == found.probability(claim, progress=False)
    assert fw.reconstruct(release, loaded.settings["law"], progress=False).records.equals(found.records)
