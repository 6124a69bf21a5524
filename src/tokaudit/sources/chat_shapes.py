"""The messages of records that are alike: of a shape, one record is read, and the others have their parts as it has.

A shape is all that ``RecordReader`` sees of a record: which keys that it knows are where, what their values begin with,
and the texts that tell who speaks. Only what is between is different, and so are the places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import itemgetter

from tokaudit.model.record import record
from tokaudit.sources import chat_records as records
from tokaudit.sources.chat_list import ChatList
from tokaudit.sources.native import LEADS, PLACED, TELLS, Scan

_SEEN = ("content", "parts", "value", "model")
"""Keys that are asked for beside those of the tables."""
_PLACED = {*records.LISTS, *records.SYSTEM, *records.TOOLS, *records.TEXTS}
_LEADING = {*records.LISTS, *records.REQUESTS, "config"}
KEYS = tuple(
    (key, TELLS * (key in records.TELLING) | LEADS * (key in _LEADING) | PLACED * (key in _PLACED))
    for key in sorted(
        {*_SEEN, *_PLACED, *_LEADING, *records.TELLING, *records.CALLS, *filter(None, records.REQUESTS.values())}
    )
)
"""The keys that ``RecordReader`` knows, with what a shape has of each."""


@record
class Plan:
    """The parts of all records of a shape."""

    pick: Callable[[Sequence[int]], tuple[int, ...]]
    """Of the places of a record, those at which the parts begin."""
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    searched: bool
    """True where no text in the record may have keys of messages."""
    is_known: bool
    """All parts are messages, and one of them has a known role."""

    def parts(self, places: Sequence[int]) -> list[records.Part]:
        """The parts of a record with these places."""
        return [*map(records.Part, self.pick(places), self.kinds, self.labels)]


def plan_of(parts: Sequence[records.Part], places: Sequence[int], *, searched: bool) -> Plan:
    """The plan by the parts of one record and its places."""
    index = {place: number for number, place in enumerate(places)}
    numbers = [index[part.at] for part in parts]
    labels, kinds = tuple(part.label for part in parts), tuple(part.kind for part in parts)
    is_known = set(kinds) == {"message"} and not records.KNOWN_ROLES.isdisjoint(labels)
    return Plan(_picker(numbers), labels, kinds, searched, is_known)


def _picker(numbers: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda places: tuple(places[number] for number in numbers)


class Shapes:
    """Adds records by their shapes."""

    def __init__(self, reading: records.RecordReader, found: ChatList) -> None:
        self._reading = reading
        self._found = found
        self._plans: dict[bytes, Plan] = {}

    def add(self, scanned: Scan, starts: Sequence[int], lines: Sequence[int]) -> None:
        """Add scanned records, whose first segments begin at ``starts``; ``lines`` is empty where there are none."""
        found, names = self._found, scanned.names
        plans = [self._plans.get(name) for name in names]
        places = scanned.others.tolist()
        shapes, firsts = scanned.column(3), scanned.column(4)
        ends = [*firsts[1:], len(places)]
        numbers: Iterable[int | None] = lines or repeat(None)
        for index, (start, line, shape, first, end) in enumerate(
            zip(starts, numbers, shapes, firsts, ends, strict=False)
        ):
            plan = plans[shape]
            if plan is None or (plan.searched and self._may_speak(scanned, index)):
                made = self._read(scanned, index, places[first:end])
                if isinstance(made, Plan):
                    plans[shape] = plan = self._plans[names[shape]] = made
                else:
                    found.add(start, made, line)
                    continue
            if plan.is_known:
                found.add_messages(start, plan.pick(places[first:end]), plan.labels, line)
            else:
                found.add(start, plan.parts(places[first:end]), line)

    def _read(self, scanned: Scan, index: int, places: Sequence[int]) -> Plan | list[records.Part]:
        """The plan of a record's shape by what is in it; its parts where others of the shape may have other parts."""
        reading = self._reading
        reading.searched = False
        parts = reading.record(scanned.bounds(index)[0])
        if reading.searched and self._may_speak(scanned, index):
            return parts
        return plan_of(parts, places, searched=reading.searched)

    def _may_speak(self, scanned: Scan, index: int) -> bool:
        """False where no text in a record has keys of messages."""
        return records.SPEAKS(self._reading.text, *scanned.bounds(index)) is not None
