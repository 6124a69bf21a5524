"""Makes the requests of a file fit their budgets, in the text of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tokaudit.features.fit.plan import plan_of
from tokaudit.features.fit.types import KEEP_LAST, RESERVE, FitRun, FittedRequest, Goal, Measure, Measured, Plan
from tokaudit.features.turns import element_of, slot_of, slot_role, slot_text
from tokaudit.jobs.inputs import Reading, TextInput
from tokaudit.jobs.request_tokens import MeasuringModels, RequestMeter
from tokaudit.jobs.requests import RequestFile, request_file, source_of
from tokaudit.model import InputError, ModelColumn, TokenizerError, UsageError
from tokaudit.model.message import Message
from tokaudit.model.request import TRANSCRIPT, Content, Request
from tokaudit.sources import decoded, line_starts, read_bytes
from tokaudit.sources.requests.edit import Edit, NewMessage, RequestEdits, applied, edits_of, transcript_lines

if TYPE_CHECKING:
    from tokaudit.jobs.inputs import Progress


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What ``fit`` is asked for."""

    model: str | None = None
    """None for the model that each request names."""
    budget: int | None = None
    """Tokens of the whole request; None for the model's window less what is reserved for the answer."""
    keep_last: int = KEEP_LAST
    reserve_output: int | None = None
    """None for the request's ``max_tokens``, or the documented default."""
    top_k: int | None = None
    slots: Mapping[str, str] | None = None
    """Texts of ``summary`` and ``facts``."""

    def checked(self) -> FitOptions:
        """The options themselves. Raises ``UsageError`` for those that cannot mean anything."""
        for name, value, least in (
            ("--budget", self.budget, 1),
            ("--keep-last", self.keep_last, 1),
            ("--reserve-output", self.reserve_output, 0),
            ("--top-k", self.top_k, 1),
        ):
            if value is not None and value < least:
                raise UsageError(
                    Message("{option} {value} is below {least}", option=name, value=value, least=least),
                    hint=Message("give a number of at least {least}", least=least),
                )
        if self.budget is not None and self.reserve_output is not None:
            raise UsageError(
                "--budget and --reserve-output contradict each other: a budget is what the request itself may have",
                hint="give one of them",
            )
        return self


def fit_run(
    path: str | TextInput, options: FitOptions, reading: Reading, *, progress: Progress | None = None
) -> FitRun:
    """Fit all requests of a file; nothing is written.

    Raises:
        InputError: The file cannot be read, holds no request, or one of them cannot fit.
        TokenizerError: A model is unknown or cannot be used.
        UsageError: No model is named, or its window is not known and no budget is given.
    """
    from tokaudit import __version__

    options.checked()
    file = request_file(path if isinstance(path, TextInput) else source_of(path, reading), reading)
    models = MeasuringModels(reading)
    slots = {name: text for name, text in (options.slots or {}).items() if text.strip()}
    fitted: list[FittedRequest] = []
    edits: list[Edit] = []
    kept_out: list[Edit] = []
    for at, (request, start) in enumerate(zip(file.requests, file.starts(), strict=True)):
        what = file.path if len(file.requests) == 1 else f"{file.path}:{request.line}"
        meter = models.meter(_model_name(request, options, what))
        window, reserve, budget = _budget(request, options, meter.model, models)
        goal = Goal(budget, options.keep_last, options.top_k)
        measure = _transcript_measure(request, file.text, meter) if request.form == TRANSCRIPT else meter.measure
        plan = _plan(request, measure, goal, slots, what)
        fitted.append(FittedRequest(request.id, request.line, request.form, meter.model, window, reserve, goal, plan))
        edits += edits_of(file.text, _kept_edits(plan, slots), start)
        if plan.gone or file.document.kind != "jsonl":  # other lines are left out whole
            kept_out += edits_of(file.text, _dropped_edits(plan), start)
        if progress is not None:
            progress(at + 1, len(file.requests))
    text = applied(file.text, edits)
    return FitRun(
        path=file.path,
        text=text,
        dropped_text=_dropped_text(file, kept_out, fitted),
        requests=_verified(file, text, fitted, models) if edits else fitted,
        models=models.columns,
        version=__version__,
        slots=slots,
        skipped=[*file.skipped],
        encode=file.encoded,
    )


def _transcript_measure(request: Request, text: str, meter: RequestMeter) -> Measure:
    """Counts a transcript as the text that it is, speakers included."""
    starts = line_starts(text)
    begins = [starts[line - 1] for line in _lines(request)]
    pieces = {
        message.path: text[begin:end]
        for message, begin, end in zip(request.messages, begins, [*begins[1:], len(text)], strict=True)
    }

    def measure(some: Request) -> Measured:
        texts = [pieces[one.path] if one.path else transcript_lines(one.text, text[:20]) for one in some.messages]
        return Measured([meter.count(one) for one in texts], meter.count("".join(texts)))

    return measure


def _plan(request: Request, measure: Measure, goal: Goal, slots: Mapping[str, str], what: str) -> Plan:
    """The plan; with slots of the user's where the model's chat template takes no second system message."""
    try:
        return plan_of(request, measure, goal, slots, what=what)
    except TokenizerError:
        if not slots or slot_role(request.form) != "system":
            raise
        return plan_of(request, measure, goal, slots, what=what, role="user")


def text_of(path: str, reading: Reading) -> str:
    """The text of a file that is named for a slot.

    Raises:
        InputError: It does not exist, or is no text.
    """
    return decoded(read_bytes(source_of(path, reading)), reading.charset, path, errors=reading.errors).text


def _model_name(request: Request, options: FitOptions, what: str) -> str:
    name = options.model or request.model
    if not name:
        raise UsageError(
            Message("{what}: the request names no model", what=what), hint="name one, as in -m gpt-4o or -m qwen3-max"
        )
    return name


def _budget(
    request: Request, options: FitOptions, model: ModelColumn, models: MeasuringModels
) -> tuple[int | None, int, int]:
    """Window, reserve and budget of a request; no window where the budget is given."""
    if options.budget is not None:
        return None, 0, options.budget
    window = models.window(model.name)
    if window is None:
        raise UsageError(
            Message("the window of {model} is not known", model=model.name),
            hint=Message("give the tokens of the request: --budget 8000; `tokaudit models` lists windows"),
        )
    reserve = options.reserve_output
    if reserve is None:
        reserve = request.max_output if request.max_output is not None else min(RESERVE, window // 4)
    if reserve >= window:
        raise UsageError(
            Message(
                "{reserve:,} tokens for the answer leave nothing of the window of {window:,}",
                reserve=reserve,
                window=window,
            ),
            hint="lower max_tokens in the request, or give --reserve-output N",
        )
    return window, reserve, window - reserve


def _kept_edits(plan: Plan, slots: Mapping[str, str]) -> RequestEdits:
    """The edits that make the fitted request."""
    request = plan.request
    drop = {element_of(request.messages[at].path, request.form) for at in plan.gone}
    cuts: list[tuple[str, int, int]] = []
    for removal in plan.removals:
        content = request.messages[removal.message].contents[removal.content]
        if removal.whole:
            drop.add(_part_of(content))
        else:
            cuts.append((content.path, removal.start, removal.end))
    texts = [
        (message.contents[0].path, slot_text(name, slots[name]))
        for message in request.messages
        if message.path and (name := slot_of(message)) in slots
    ]
    return RequestEdits(request.form, sorted(drop), cuts, texts, _new_messages(plan), _lines(request))


def _part_of(content: Content) -> str:
    """The path of the part of a message that a content is, or is the text of."""
    return content.path[: content.path.rindex("]") + 1]


def _new_messages(plan: Plan) -> list[NewMessage]:
    """The slots that are put in, each before the message that follows it in the file."""
    messages = plan.request.messages
    new = []
    for at, message in enumerate(messages):
        if message.path:
            continue
        after = (element_of(later.path, plan.request.form) for later in messages[at + 1 :] if later.path)
        before = next(filter(None, after), "")
        new.append(NewMessage(before, message.role, message.text))
    return new


def _dropped_edits(plan: Plan) -> RequestEdits:
    """The edits that make a request of the turns that are dropped: the others go, the prompt stays."""
    request = plan.request
    kept = {
        element_of(message.path, request.form)
        for at, (message, turn) in enumerate(zip(request.messages, plan.turns, strict=True))
        if turn and at not in plan.gone
    }
    return RequestEdits(request.form, sorted(kept - {""}), lines=_lines(request))


def _lines(request: Request) -> list[int]:
    if request.form != "transcript":
        return []
    return [message.line for message in request.messages if message.line is not None and message.path]


def _dropped_text(file: RequestFile, kept_out: Sequence[Edit], fitted: Sequence[FittedRequest]) -> str:
    """The text of the turns that are dropped; of JSON Lines only the lines of which some are."""
    if file.document.kind != "jsonl":
        return applied(file.text, kept_out)
    starts = [*line_starts(file.text), len(file.text)]
    gone = {item.line for item in fitted if item.plan.gone}
    others: list[Edit] = [(start, end, "") for line, (start, end) in enumerate(pairwise(starts), 1) if line not in gone]
    return applied(file.text, [*others, *kept_out])


def _verified(
    file: RequestFile, text: str, fitted: Sequence[FittedRequest], models: MeasuringModels
) -> list[FittedRequest]:
    """The fitted requests with the tokens of what is really in the text, which is read again.

    Raises:
        InputError: One of them is over its budget after all, or there are not as many of them any more.
    """
    again = file.read_again(text)
    if len(again) != len(fitted):
        raise InputError("the fitted file does not read as the same requests", what=file.path, code="changed")
    verified = []
    for item, request in zip(fitted, again, strict=True):
        meter = models.meter(item.model.name)
        measure = _transcript_measure(request, text, meter) if request.form == TRANSCRIPT else meter.measure
        after = measure(request)
        if after.total > item.goal.budget:
            raise InputError(
                Message("{tokens:,} tokens where {budget:,} were reached", tokens=after.total, budget=item.goal.budget),
                what=f"{file.path}:{item.line}",
                code="changed",
            )
        verified.append(replace(item, plan=replace(item.plan, fitted=request, after=after)))
    return verified
