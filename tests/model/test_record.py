"""Records are what dataclasses with the same fields are."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, astuple, field, fields, is_dataclass, make_dataclass, replace

import pytest

from tokaudit.model.record import record
from tokaudit.model.short_repr import ShortRepr


@record
class Plain:
    """A place."""

    line: int
    labels: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    engine: str = field(default="", compare=False)


@record(kw_only=True)
class Named:
    id: str
    size: int = 0
    code: int = field(default=3, kw_only=True)


@record
class Mixed:
    id: str = "x"
    code: int = field(kw_only=True)
    part: Named | None = None


@record
class Checked(ShortRepr):
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(self.size)


@record
class Derived(Plain):
    more: int = 1


@record
class Empty:
    pass


RECORDS = [Plain, Named, Mixed, Checked, Derived, Empty]


def reference(made: type) -> type:
    """The dataclass of the same fields."""
    kept = ("default", "default_factory", "compare", "kw_only")
    names = [(item.name, item.type, field(**{name: getattr(item, name) for name in kept})) for item in fields(made)]
    return make_dataclass(made.__name__, names, frozen=True, slots=True, namespace={"__doc__": "d"})


CALLS = [
    (Plain, (1,), {}),
    (Plain, (1, ("a",)), {"engine": "e"}),
    (Plain, (), {"line": 2, "notes": ["n"]}),
    (Named, (), {"id": "a"}),
    (Named, (), {"id": "a", "size": 2, "code": 9}),
    (Mixed, (), {"code": 1}),
    (Mixed, ("y", None), {"code": 1}),
    (Derived, (1,), {"more": 5}),
    (Derived, (1, (), ["n"], "e", 7), {}),
    (Empty, (), {}),
]


@pytest.mark.parametrize(("made", "values", "options"), CALLS)
def test_objects_are_those_of_a_dataclass(made, values, options):
    found, expected = made(*values, **options), reference(made)(*values, **options)
    assert repr(found) == repr(expected)
    assert asdict(found) == asdict(expected)
    assert astuple(found) == astuple(expected)
    assert [item.name for item in fields(found)] == [item.name for item in fields(expected)]
    assert made.__match_args__ == type(expected).__match_args__
    assert is_dataclass(made)
    assert found == made(*values, **options)
    assert found != expected
    assert not hasattr(found, "__dict__")


@pytest.mark.parametrize(("made", "values", "options"), CALLS)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it)), replace])
def test_copies(made, values, options, copied):
    found = made(*values, **options)
    again = copied(found)
    assert again == found
    assert again is not found
    assert astuple(again) == astuple(found)


@pytest.mark.parametrize(
    ("made", "values", "options"),
    [
        (Plain, (), {}),
        (Plain, (1, (), [], "", 5), {}),
        (Plain, (1,), {"other": 1}),
        (Named, ("a",), {}),
        (Named, (), {}),
        (Mixed, ("y", None, 1), {}),
        (Empty, (1,), {}),
    ],
)
def test_wrong_calls(made, values, options):
    for called in (made, reference(made)):
        with pytest.raises(TypeError):
            called(*values, **options)


@pytest.mark.parametrize("made", [Plain, Named, Mixed, Derived])
@pytest.mark.parametrize("name", ["id", "line", "nothing"])
def test_nothing_is_set_or_deleted(made, name):
    values = {item.name: 1 for item in fields(made)}
    found = made(**values)
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(found, name, 2)
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(found, name)
    assert asdict(found) == values


def test_equality_and_hash_are_those_of_the_compared_fields():
    one, other = Named(id="a"), Named(id="b")
    assert (hash(one), one) == (hash(Named(id="a", size=0)), Named(id="a", size=0))
    assert one != other
    assert len({one, other, Named(id="a")}) == 2
    assert Plain(1, engine="x") == Plain(1, engine="y")
    assert Plain(1) != Derived(1)
    assert {Empty(): 1}[Empty()] == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(Plain(1))


def test_defaults_that_are_made_are_made_for_each():
    assert Plain(1).notes is not Plain(1).notes


def test_what_a_class_defines_or_inherits_stays():
    @record
    class Own:
        size: int

        def __repr__(self) -> str:
            return "own"

        def __init__(self) -> None:
            object.__setattr__(self, "size", 7)

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

    assert (repr(Own()), Own().size, Own() == 3, hash(Own())) == ("own", 7, True, 5)
    assert repr(Checked(5)) == "Checked(size=5)"
    with pytest.raises(ValueError, match="-1"):
        Checked(-1)


def test_a_pattern_takes_fields_by_place():
    match Plain(4, ("a",)):
        case Plain(line, labels):
            assert (line, labels) == (4, ("a",))
        case _:
            pytest.fail("no match")
