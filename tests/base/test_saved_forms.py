"""The classes that files may hold say so themselves; a name in a file is known, looked for among ours, or refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from fiberwalk.base import saved_forms
from fiberwalk.base.errors import InputError
from fiberwalk.base.plain_form import Reader, Writer
from fiberwalk.base.saved_forms import as_written, form_named, form_of, saved


@pytest.fixture(autouse=True)
def others_left_alone(monkeypatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(saved_forms, "_BY_NAME", dict(saved_forms._BY_NAME))
    monkeypatch.setattr(saved_forms, "_BY_CLASS", dict(saved_forms._BY_CLASS))
    return


def there_and_back(item: Any) -> Any:
    writer = Writer()
    plain = writer.plain(item)
    return Reader({name: np.concatenate(one) for name, one in writer.parts().items()}, writer.objects).made(plain)


def test_a_class_is_written_and_made_again_under_the_name_that_it_says():
    @saved("A spot")
    class Place(NamedTuple):
        row: int
        column: int

    @saved("Old name")
    @dataclass(frozen=True, eq=False)
    class Renamed:
        values: np.ndarray
        places: tuple[Place, ...]

    writer = Writer()
    writer.plain(Renamed(np.arange(3), (Place(1, 2),)))
    assert [*writer.objects[0], *writer.objects[1]] == ["A spot", "Old name"]
    again = there_and_back(Renamed(np.arange(3), (Place(1, 2),)))
    assert isinstance(again, Renamed)
    assert again.values.tolist() == [0, 1, 2]
    assert again.places == (Place(1, 2),)
    assert type(again.places[0]) is Place


def test_a_class_that_says_nothing_and_one_derived_from_another_are_not_written():
    @dataclass(frozen=True)
    class Silent:
        x: int = 1

    @saved("Open")
    @dataclass(frozen=True)
    class Open:
        x: int = 1

    class Derived(Open):
        pass

    assert form_of(Silent()) is None
    assert form_of(Derived()) is None
    for item in (Silent(), Derived()):
        with pytest.raises(InputError, match=f"a result with a {type(item).__name__} in it cannot be saved"):
            Writer().plain(item)
    assert there_and_back(Open(5)) == Open(5)


def test_a_new_field_needs_a_default_and_then_older_files_are_read():
    @saved("Grown")
    @dataclass(frozen=True)
    class Grown:
        x: int
        added: str = "as it was before"

    assert Reader({}, [{"Grown": {"x": 3}}]).objects == [Grown(3, "as it was before")]
    with pytest.raises(InputError, match="its Grown has 'y', which this version does not know; a newer one may"):
        Reader({}, [{"Grown": {"x": 3, "y": 4}}])


def test_what_is_written_may_be_another_form():
    @saved("Told")
    @dataclass(frozen=True)
    class Told:
        x: Any

        def _saved_form_(self) -> Told:
            return replace(self, x=str(self.x))

    assert as_written(3) == 3
    assert there_and_back(Told(1j)) == Told("1j")


def test_two_classes_cannot_have_one_name_but_a_module_may_be_loaded_again():
    def made() -> type:
        @saved("Twice")
        @dataclass(frozen=True)
        class Twice:
            x: int

        return Twice

    made()
    again = made()
    assert form_named("Twice").chosen is again
    with pytest.raises(ValueError, match=r"as 'Twice': .*Other needs another name"):

        @saved("Twice")
        class Other(NamedTuple):
            x: int


def test_homes_are_loaded_until_the_name_is_known_and_no_further(tmp_path, monkeypatch):
    text = "from typing import NamedTuple\nfrom fiberwalk.base.saved_forms import saved\n"
    for name in ("fw_first", "fw_second", "fw_third"):
        (tmp_path / f"{name}.py").write_text(f'{text}@saved("{name}")\nclass {name}(NamedTuple):\n    x: int\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    homes = ("fw_first", "fw_second", "fw_third")
    try:
        assert form_named("fw_second") is None
        assert form_named("fw_second", homes).name == "fw_second"
        assert "fw_first" in sys.modules
        assert "fw_third" not in sys.modules
        assert form_named("fw_fourth", homes) is None
        assert "fw_third" in sys.modules
    finally:
        for name in homes:
            sys.modules.pop(name, None)


def test_a_name_is_never_loaded_as_a_module():
    for name in ("this", "os.path", "fiberwalk.examples.Example"):
        with pytest.raises(InputError, match=f"it holds a '{name}', which this version does not know"):
            Reader({}, [{name: {}}])
    assert "this" not in sys.modules


def test_no_name_of_a_class_means_something_else_to_readers():
    assert not set(saved_forms._BY_NAME) & set(Reader({}, []).kinds)
