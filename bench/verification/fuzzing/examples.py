"""Files as they should be, of every kind that is read: each is small, and several of a kind use what it can say."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw

TABLE = pd.DataFrame([[1, 5, 4], [7, 2, 6], [3, 8, 9], [4, 0, 12]], index=list("abcd"), columns=list("xyz"))
TABLE.index.name, TABLE.columns.name = "town", "size"
HIDDEN = [{"town": town, "size": size} for town in "ab" for size in "xy"]
TOWNS = {"town": {"North": ["a", "b"], "South": {"Coast": ["c"]}}}
LONG = b"town,size,value\n" + b"\n".join(
    f"{town},{size},{TABLE.loc[town, size]}".encode() for town in "abcd" for size in "xyz"
)
"""The table as a long file, for hierarchies to be given with."""
PEOPLE = pd.DataFrame(
    {
        "sex": np.array(["f", "m"])[np.arange(120) % 2],
        "age": np.array(["0-4", "5-9", "10-14"])[np.arange(120) % 3],
        "region": np.array(["1", "2", "3", "4"])[np.arange(120) // 7 % 4],
        "key": [str(1000 + k) for k in range(120)],
    }
)


def _written(save: Callable[[Path], Any], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


@cache
def _releases() -> tuple[fw.Release, ...]:
    return (
        fw.suppress(TABLE, where=HIDDEN),
        fw.suppress(fw.table(TABLE, hierarchies=TOWNS), rule="< 3", where=HIDDEN, rule_known=True, flags=True),
        fw.suppress(fw.table(TABLE + 0.25, decimals=2), where=HIDDEN),
        fw.protect.random_round(TABLE, 3, seed=1, exact=["town", "size"]),
        fw.round_to(TABLE, 5),
    )


@cache
def long_files() -> tuple[bytes, ...]:
    """CSV files of releases: plain, with a hierarchy and flags, of magnitudes, rounded, with ranges, the agency's own."""
    agency = b"Town;Size;Value;Status;N_OBS;MAX\n" + b"\n".join(
        f"{town};{size};{TABLE.loc[town, size]};{'u' if TABLE.loc[town, size] < 3 else 's'};3;0".encode()
        for town in "abcd"
        for size in "xyz"
    )
    return (*(_written(one.to_file, "out.csv") for one in _releases()), agency, LONG)


def files_without_header() -> tuple[bytes, ...]:
    """Long files that begin with a cell."""
    return (LONG.partition(b"\n")[2],)


@cache
def parquet_files() -> tuple[bytes, ...]:
    """The same in Parquet, and one whose figures are numbers."""
    numbers = pd.DataFrame({"town": list("aabb"), "size": list("xyxy"), "value": [1.0, None, 3.0, 4.0]})
    made = tuple(_written(one.to_file, "out.parquet") for one in _releases())
    return (*made, _written(lambda path: numbers.to_parquet(path, index=False), "out.parquet"))


@cache
def workbooks() -> tuple[bytes, ...]:
    """Workbooks with a crosstab, as we write them, and a long table."""
    long = pd.DataFrame({"town": list("aabb"), "size": list("xyxy"), "value": [1.0, None, 3.0, 4.0]})
    made = tuple(_written(one.to_file, "out.xlsx") for one in _releases())
    return (*made, _written(lambda path: long.to_excel(path, index=False), "out.xlsx"))


@cache
def jj_files() -> tuple[bytes, ...]:
    """JJ files, with protection levels and without."""
    protected = fw.protect.complementary_suppress(TABLE, rule="< 3", percent=20)
    return tuple(_written(one.to_file, "out.jj") for one in (_releases()[0], protected))


@cache
def tab_files() -> tuple[bytes, ...]:
    """Tables of tau-ARGUS, as it writes them and as we do; what their columns are stands in METADATA."""
    rows = [f'"{town}";"{size}";{TABLE.loc[town, size]},00;3;0,00;S;0,01;0,01' for town in "abcd" for size in "xyz"]
    rows[1] = '"a";"y";-;0;0,00;E;0,01;0,01'
    rows[0] = '"a";"x";1,00;1;0,50;U;0,75;0,75'
    rows += [f'"Total";"{size}";{TABLE[size].sum() - 5 * (size == "y")},00;9;0,00;S;0,01;0,01' for size in "xyz"]
    numbered = [row.replace(";S;", ";1;").replace(";U;", ";11;").replace(",0", ".0") for row in rows if "-" not in row]
    return ("\n".join(rows).encode(), "\n".join(numbered).encode())


METADATA = """  <SEPARATOR> ";"
town
  <RECODEABLE>
  <TOTCODE> "Total"
  <HIERARCHICAL>
  <HIERCODELIST> "towns.hrc"
  <HIERLEADSTRING> "@"
size "9"
  <RECODEABLE>
value
  <NUMERIC>
  <DECIMALS> 2
firms
  <FREQUENCY>
top
  <MAXSCORE>
state
  <STATUS>
low
  <NUMERIC> <LOWERPL>
high
  <NUMERIC> <UPPERPL>
"""


def metadata_files() -> tuple[bytes, ...]:
    """What says what the columns of a table are, with a hierarchy in a file and one by digits."""
    digits = METADATA.replace(
        '  <HIERARCHICAL>\n  <HIERCODELIST> "towns.hrc"\n  <HIERLEADSTRING> "@"\n', "  <HIERLEVELS> 1\n"
    )
    return METADATA.encode(), digits.encode()


def histories() -> tuple[bytes, ...]:
    """A priori files."""
    return b"a;x;U\na;x;PL;1.5;2\nb;y;C;20\nc;y;P\nd;z;ML\n", b"b,x,s\na,y,m\na,x,w,3\n"


def hrc_files() -> tuple[bytes, ...]:
    """Hierarchies by leading @, of one depth and ragged."""
    return (
        b"North\n@a\n@b\nSouth\n@Coast\n@@c\n@d\n",
        b"North\n@a\n@b\nc\nd\n",
        b"Total\n@North\n@@a\n@@b\n@South\n@@c\n@@d\n",
    )


def level_tables() -> tuple[bytes, ...]:
    """Hierarchies as tables: of codes with @, and of columns from coarse to fine."""
    return (
        b"@,Total\n@@,North\n@@@,a\n@@@,b\n@@,South\n@@@,c\n@@@,d\n",
        b"area,town\nNorth,a\nNorth,b\nSouth,c\nSouth,d\n",
    )


def microdata() -> tuple[bytes, ...]:
    """Records, one row a person, and counts of cells."""
    counts = PEOPLE.groupby(["sex", "age", "region"]).size().rename("count").reset_index()
    return (
        PEOPLE.to_csv(index=False).encode(),
        PEOPLE.drop(columns="key").to_csv(index=False, sep=";").encode(),
        counts.to_csv(index=False).encode(),
    )


@cache
def microdata_parquet() -> tuple[bytes, ...]:
    """The same in Parquet."""
    texts = PEOPLE.drop(columns="key")
    kinds = texts.astype("category"), PEOPLE.assign(region=PEOPLE["region"].astype(int))
    return tuple(_written(lambda path, one=one: one.to_parquet(path), "out.parquet") for one in (texts, *kinds))


def matrices() -> tuple[bytes, ...]:
    """Transition matrices, bare and with labels."""
    return b"0.7 0.3 0\n0.2 0.6 0.2\n0.1 0.2 0.7\n", b",0,1,2\n0,2/3,1/3,0\n1,1/6,2/3,1/6\n2,0,1/3,2/3\n"


def ptables() -> tuple[bytes, ...]:
    """Perturbation tables of other tools: by probabilities and by keys."""
    keyed = "".join(f"{count},{key},{change}\n" for count in (1, 2) for key, change in enumerate((-1, 0, 0, 2)))
    return (
        b'"i";"j";"p";"v";"p_ij_ub"\n0;0;1;0;1\n1;0;0.5;-1;0.5\n1;3;0.5;2;1\n2;0;0.25;-2;0.25\n2;3;0.75;1;1\n',
        f"pcv,ckey,pvalue\n{keyed}".encode(),
    )


TABLES_OF_PEOPLE = {
    "ages.csv": b"age,count\n0,1\n1,0\n2,2\n3,0\n4,1\n5,1\n",
    "sexes.csv": b"band,sex,count\nyoung,f,2\nyoung,m,1\nold,f,0\nold,m,2\n",
}


def declared_populations() -> tuple[bytes, ...]:
    """Who may exist: with ranges, recodes that overlap, rules, tables about a part, and without anything."""
    young, old = {"from": 0, "to": 2}, {"from": 3, "to": 5}
    dims = {"sex": ["f", "m"], "age": {"from": 0, "to": 5}}
    plain = {"dims": dims, "recodes": {"age": {"band": {"young": young, "old": old}}}}
    rules = {**plain, "where": [[{"sex": "f"}, {"age": {"from": 0, "to": 4}}]], "about": {"ages": {"sex": ["f", "m"]}}}
    return tuple(json.dumps(one, indent=1).encode() for one in (plain, rules)) + (b"{}",)


def seeds() -> tuple[bytes, ...]:
    """Files of a seed."""
    return b"77\n", b"123456789012345678901234567890\n"


@cache
def saved_results() -> tuple[bytes, ...]:
    """Audits of several laws and methods, and every other result that has a file of its own."""
    hidden, *_, rounded, _ = _releases()
    matrix = {"rounding": ("random_round", {"base": [3, 5]})}
    alone = fw.suppress(fw.table(TABLE, contributors=TABLE * 0 + 1), where=HIDDEN)
    results = (
        fw.audit(hidden, hidden_margins=["town"]),
        fw.audit(hidden.without_truth(), "hypergeometric"),
        fw.audit(rounded),
        fw.audit(hidden, law=fw.laws.prior([(HIDDEN[0], {0: 1, 1: 2, 2: 1})], otherwise=fw.laws.expected(TABLE + 1))),
        fw.audit(alone, intruders="respondents"),
        fw.ru_map(TABLE, matrix, seeds=2),
        fw.studies.compare_margins([[3, 1, 0], [2, 4, 5]]),
        fw.survey.sample_risk([[3, 0], [2, 5]], people=100, model="urn", draws=20),
        fw.protect.suppression([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", until="p <= 0.6", seed=1),
    )
    return tuple(_written(one.save, "out.fw") for one in results)


def audited(checkpoint: Path) -> fw.Audit:
    """An audit by chains that is taken up from a checkpoint, or begins one."""
    return fw.audit(_releases()[0], method="chains", seed=1, tolerance=0.5, checkpoint=checkpoint)


@cache
def checkpoints() -> tuple[bytes, ...]:
    """What a finished audit leaves behind."""
    return (_written(audited, "out.chains"),)
