"""What may be asked for, as everybody may know it; and what leaves as files."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

BANDS = {"young": ["0-9", "10-19"], "old": ["20-59", "60+"]}


def people(n=120, seed=2):
    random = np.random.default_rng(seed)
    ages = [age for band in BANDS.values() for age in band]
    return pd.DataFrame(
        {"age": random.choice(ages, n), "region": random.choice(list("NESW"), n), "sex": random.choice(["f", "m"], n)}
    )


def served(frame=None, **options):
    options = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 3, **options}
    return fw.server.TableServer(people() if frame is None else frame, hierarchies={"age": BANDS}, **options)


LABELS = {"age": ["0-9", "10-19", "20-59", "60+"], "region": ["N", "E", "S", "W", "abroad"], "sex": ["f", "m", "x"]}


def test_the_catalogue_has_dims_levels_and_labels_in_order():
    catalogue = served(labels=LABELS).catalogue
    assert {dim.name: dim.labels for dim in catalogue.dims if dim.level_of is None} == {
        dim: tuple(labels) for dim, labels in LABELS.items()
    }
    (level,) = [dim for dim in catalogue.dims if dim.level_of]
    assert level.level_of == "age"
    assert set(level.labels) == set(BANDS)
    frame = catalogue.to_frame()
    assert list(frame.columns) == ["dim", "level_of", "label"]
    assert frame[frame.dim == "region"].label.tolist() == LABELS["region"]


def test_the_catalogue_tells_nothing_of_the_data():
    """Other people, the same declarations: the same catalogue, to the last byte, also where a column follows by chance."""
    frame = people()
    others = people(n=77, seed=9)
    follows = frame.assign(sex=frame.region.map({"N": "f", "E": "f", "S": "m", "W": "m"}))
    catalogues = {pickle.dumps(served(data, labels=LABELS).catalogue) for data in (frame, others, follows)}
    assert len(catalogues) == 1


def test_what_the_rules_allow_is_what_is_answered():
    rules = fw.server.ServerRules(max_dims=2, max_filters=1, max_cells=18, dims=["age", "region", "sex"])
    server = served(labels=LABELS, rules=rules)
    catalogue = server.catalogue
    assert set(catalogue.labels) == {"age", "region", "sex"}
    every = [(one,) for one in LABELS] + [("age", "region"), ("age", "sex"), ("region", "sex"), tuple(LABELS)]
    allowed = list(catalogue.tables())
    assert allowed == [("age",), ("region",), ("sex",), ("age", "sex"), ("region", "sex")]
    for dims in every:
        answer = server.tabulate(dims)
        assert answer.released == (dims in allowed) == (catalogue.why_not(dims) == "")
        if not answer.released:
            assert catalogue.why_not(dims) == answer.notice
    assert (
        catalogue.why_not("sex", {"age": ["0-9", "60+"]}) == "the filter of 'age' names 2 labels; at most 1 is allowed"
    )
    levels = list(served(labels=LABELS).catalogue.tables())
    assert not [
        dims for dims in levels if {"age", next(name for name in served().offered if name not in LABELS)} <= {*dims}
    ]


def test_labels_that_nobody_has_are_shown():
    server = served(labels=LABELS)
    table = server.tabulate("sex,region").table
    assert list(table.sex.values) == LABELS["sex"]
    assert list(table.region.values) == LABELS["region"]
    assert int(table.sel(sex="x").sum()) == int(table.sel(region="abroad").sum()) == 0
    assert not [note for note in server.notes if "labels of" in note]
    (note,) = [note for note in served().notes if "labels of" in note]
    assert note.startswith("labels of age, region, sex are those that somebody has, and so tell that somebody does")
    some = served(labels={"sex": ["f", "m"]})
    assert [note.split(" are ")[0] for note in some.notes] == ["labels of age, region"]


REFUSED = {
    "row 1 has the label": lambda: served(labels={**LABELS, "region": ["E"]}),
    "labels= names the dim 'regoin'; did you mean 'region'?": lambda: served(labels={"regoin": ["N"]}),
    "labels= of dim 'sex' is the list of its labels; it is 'fm'.": lambda: served(labels={"sex": "fm"}),
    "labels= of dim 'sex' has a label twice.": lambda: served(labels={"sex": ["f", "m", "f"]}),
    "labels= of dim 'sex' has no label.": lambda: served(labels={"sex": []}),
    "labels= is a dict of dim to the list of its labels; it is ['f'].": lambda: served(labels=["f"]),
    "the word kept for sums": lambda: served(labels={"sex": ["f", "m", "Total"]}),
    "labels= goes with a long frame or file": lambda: fw.server.TableServer([[1, 2], [3, 4]], labels={"A": ["1", "2"]}),
    "labels= of dim 'age' has '90+', which nobody has, so that the column 'band' does not say its group": lambda: (
        fw.server.TableServer(
            people().assign(band=lambda frame: frame.age.map({age: band for band, ages in BANDS.items() for age in ages})),
            hierarchies={"age": "band"}, labels={"age": [*LABELS["age"], "90+"]},
        )
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_labels_that_make_no_sense_are_refused(words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        REFUSED[words]()


def test_json_stat_has_every_figure_in_its_place(tmp_path):
    """As its specification has it: values in the order of the ids, the last changing fastest."""
    answer = served(labels=LABELS).tabulate("sex,region", {"age": "0-9"})
    dataset = answer.public().to_json_stat(tmp_path / "table.json")
    assert dataset == json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert (dataset["version"], dataset["class"]) == ("2.0", "dataset")
    assert len(dataset["value"]) == np.prod(dataset["size"])
    categories = [dataset["dimension"][dim]["category"]["index"] for dim in dataset["id"]]
    for place, labels in enumerate((a, b) for a in categories[0] for b in categories[1]):
        assert dataset["value"][place] == int(answer.table.sel(dict(zip(dataset["id"], labels, strict=True))))
    assert dataset["extension"] == {"filters": {"age": ["0-9"]}}
    assert dataset["note"] == ["sex x region where age=0-9; protected by random-round base=3."]
    assert "status" not in dataset


def test_withheld_figures_are_empty_in_files(tmp_path):
    frame = people().assign(income=100.0)
    frame = frame.join(fw.server.record_keys(frame, seed=1))
    rules = fw.server.ServerRules(min_contributors=9)
    server = served(frame, columns=["age", "region", "sex"], summed="income", rules=rules)
    answer = server.tabulate("age,region", sum_of="income")
    withheld = np.isnan(answer.table.values.ravel())
    assert 0 < withheld.sum() < withheld.size
    dataset = answer.public().to_json_stat()
    assert [value is None for value in dataset["value"]] == withheld.tolist()
    assert dataset["status"] == {str(place): "withheld" for place in np.flatnonzero(withheld)}
    answer.public().to_csv(tmp_path / "t.csv")
    read = pd.read_csv(tmp_path / "t.csv")
    assert list(read.columns) == ["age", "region", "sum of income"]
    np.testing.assert_array_equal(read["sum of income"].isna(), withheld)


def test_a_refusal_has_no_table_to_write(tmp_path):
    public = served(rules=fw.server.ServerRules(min_population=10**6)).tabulate("sex").public()
    assert not public.released
    assert repr(public) == "<PublicAnswer to sex: refused, because the table is too sparse or has too few people>"
    for write in (public.to_csv, public.to_parquet, public.to_json_stat):
        with pytest.raises(fw.InputError, match="there is no table: it was refused, because the table is too sparse"):
            write(tmp_path / "t")
    assert not list(tmp_path.iterdir())


def test_the_public_view_holds_nothing_of_the_server():
    """What it is made of, all the way down, are texts, numbers, and arrays as large as the table."""
    answer = served(labels=LABELS).tabulate("sex,region", totals="consistent")
    assert len(pickle.dumps(answer.public())) < 20_000
    assert set(vars(answer.public())) == {"request", "table", "notice", "shows", "protected_by"}
