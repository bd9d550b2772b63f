"""Files of other tools on the command line: what stands beside them is found, and errors speak of options."""

from __future__ import annotations

import pytest
from support.small_releases import SQUARE, TABLE, TOWNS
from support.terminal import fiberwalk

import fiberwalk as fw


@pytest.fixture
def tab(tmp_path):
    """A table of tau-ARGUS with what belongs to it."""
    fw.suppress(fw.table(TABLE, hierarchies=TOWNS), where=SQUARE).to_file(tmp_path / "t.tab")
    return tmp_path / "t.tab"


def test_what_stands_beside_a_table_of_tau_argus_is_found(tab):
    result = fiberwalk("bounds", tab)
    assert result.exit_code == 0
    assert "a   x        0      6" in result.output
    assert fiberwalk("audit", tab, "--law", "uniform").exit_code == 0


def test_the_options_of_tables_of_tau_argus(tab, tmp_path):
    (tmp_path / "t.rda").rename(tmp_path / "other.rda")
    (tmp_path / "a.hst").write_text("a;x;U\na;x;PL;1;1\n")
    result = fiberwalk("bounds", tab, "--metadata", tmp_path / "other.rda", "--history", tmp_path / "a.hst")
    assert result.exit_code == 0
    (tmp_path / "t_1.hrc").unlink()
    result = fiberwalk("bounds", tab, "--metadata", tmp_path / "other.rda")
    assert result.exit_code == 2
    assert "say where it is with --hierarchy." in result.stderr


def test_errors_name_the_option(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("Total;x;9,5;1\na;x;4,5;1\nb;x;5,0;1\n")
    result = fiberwalk("count", path)
    assert "say --no-header." in result.stderr
    result = fiberwalk("count", path, "--no-header")
    assert "say --status 'status', and if not, name the dims with --dims." in result.stderr
    result = fiberwalk("count", path, "--no-header", "--status", "status")
    assert "say --decimal-comma, and with --decimals how many are kept" in result.stderr
    result = fiberwalk("count", path, "--no-header", "--status", "status", "--decimal-comma", "--decimals", "1")
    assert (result.exit_code, result.output.strip()) == (0, "1")


def test_hierarchies_in_columns_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("town,county,coast,value\na,N,in,1\nb,N,out,2\nc,S,out,3\nS,,,3\nout,,,5\n")
    result = fiberwalk("count", path, "--hierarchy", "town=county", "--hierarchy", "town=coast")
    assert (result.exit_code, result.output.strip()) == (0, "1")
    assert fiberwalk("count", path, "--hierarchy", "town=county,coast").output.strip() == "1"
    (tmp_path / "h.hrc").write_text("N\n@a\n@b\n")
    result = fiberwalk("count", path, "--hierarchy", "town=county", "--hierarchy", f"town={tmp_path / 'h.hrc'}")
    assert result.exit_code == 2
    assert "dim 'town' has another one; files and columns cannot be joined" in result.stderr
