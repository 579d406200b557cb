"""Does an audit log hold? Its chain and seal, the story told again, and whether the graph still proves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from agent import audit_records
from agent.audit_line import Json, spelled
from agent.audit_log import AuditLog
from agent.context import StoryContext
from agent.errors import NarrationError, NotALog
from agent.gates import Grounding
from agent.recorded import ToldBeat, told_beats
from agent.recount import Recounted, recounted
from agent.replay import replayed
from graph_tools.errors import CuestoryError
from graph_tools.grounding import complete_in
from graph_tools.plan import StoryRequest
from graph_tools.staleness import Standing


@dataclass(frozen=True, slots=True)
class Unproved:
    """A recorded sentence that this graph does not prove."""

    place: int
    text: str
    gone: tuple[str, ...]
    """Statements of its proof that the graph holds no longer."""
    instead: tuple[str, ...]
    """What it says there now."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a check."""

    log: AuditLog
    faults: tuple[str, ...] = ()
    """Each one line; none where the log is whole, signed by the key that is known, and told again byte for byte."""
    notes: tuple[str, ...] = ()
    """What was not checked, and why."""
    unproved: tuple[Unproved, ...] = ()
    recounted: tuple[Recounted, ...] = ()
    """Sentences that range over all rows of an answer which has other rows in this graph."""
    replayed: int = 0
    """Lines that were told again, byte for byte."""
    sentences: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.faults or self.unproved or self.recounted)


def verify(log: AuditLog, ctx: StoryContext, known_key: str, gate: Grounding | None, standing: Standing) -> Report:
    """Checks a log against a pack. `known_key`: the operator's public key, or ""; `standing`: the pack's graph."""
    faults = [*_outside(log, known_key)]
    notes: list[str] = []
    told = [line.replayable for line in log.lines]
    if not told:
        return Report(log, tuple(faults))
    try:
        beats = told_beats(told)
        head = _head(told[0], ctx)
    except NotALog as error:
        return Report(log, (*faults, str(error)))
    lines = 0
    if log.state == "tampered":
        notes.append(f"{len(told)} lines before that are as they were written")
    if others := _other_version(told[0], head):
        notes.append(f"not told again: it was told from another version ({', '.join(others)} differ)")
    elif told[0]["from_start"] is not True:
        notes.append("not told again: it begins in the middle of a visit")
    elif told[0].get("tour"):
        notes.append(f"not told again: it is a walk through the tour {told[0]['tour']!r}")
    elif told[0]["narrator"]["kind"] != "template":
        notes.append(f"not told again: {told[0]['narrator']['model'] or 'a model'} worded it")
        faults += model_faults(beats, gate, notes)
    else:
        difference, lines = _difference(told, ctx, whole=log.state == "sealed")
        faults += [difference] if difference else []
        if difference and told[0]["cuestory"] != head["cuestory"]:
            notes.append(f"it was told by cuestory {told[0]['cuestory']}, and told again by {head['cuestory']}")
    return Report(
        log,
        tuple(faults),
        tuple(notes),
        tuple(_unproved(beats, standing)),
        tuple(recounted(beats, ctx)) if others else (),
        lines,
        sum(len(beat.sentences) for beat in beats),
    )


def _outside(log: AuditLog, known_key: str) -> Iterator[str]:
    """What is wrong whatever was told."""
    if log.state == "tampered":
        yield f"tampered with: {log.fault}"
    elif log.state == "incomplete":
        yield f"incomplete: {log.fault}"
    elif not known_key:
        yield f"sealed with the key {log.key}, and no key is known here to compare it with; give --key"
    elif log.key != known_key:
        yield f"sealed with the key {log.key}, which is not the operator's; give --key if it was another one"
    for gap in log.of("gap"):
        yield f"line {gap.number + 1}: {gap.told.get('lost')} lines could not be written here"


def _head(told: Json, ctx: StoryContext) -> Json:
    try:
        request = StoryRequest.model_validate(told["request"])
        head = audit_records.opened(
            told["mode"],
            request,
            ctx,
            told["visit"],
            from_start=told["from_start"],
            tour=told.get("tour", ""),
            asked=told.get("asked", ""),
        )
        if {*told} < {*head}:
            raise KeyError(*({*head} - {*told}))
    except (KeyError, TypeError, ValueError) as error:
        raise NotALog(f"the first line is not one that this version writes: {error}") from None
    return head


def _other_version(told: Json, now: Json) -> list[str]:
    """The parts of the pack that are not what they were."""
    names = {"kg_digest": "graph", "cqs_digest": "questions", "snippets_digest": "snippets", "name": "pack"}
    return [name for field, name in names.items() if told["pack"].get(field) != now["pack"][field]]


def _difference(told: Sequence[Json], ctx: StoryContext, *, whole: bool) -> tuple[str, int]:
    """The first line that is told otherwise now, or ""; and how many before it are the same, byte for byte."""
    # How a visitor left is no part of what was told.
    recorded = [line for line in told if not (line["kind"] == "end" and line.get("because") != "told")]
    left = len(recorded) < len(told)
    again = replayed([*recorded], _as_recorded(told[0], ctx))
    number = 0
    try:
        for number, (old, new) in enumerate(zip_longest(recorded, again)):
            if old is None and (left or not whole):
                return "", number
            if old is None:
                return f"line {number + 1} is missing: told again, the story goes on", number
            if new is None:
                return f"line {number + 1} is too much: told again, the story is over", number
            if number == 0:
                new = {**new, "cuestory": old["cuestory"]}
            if spelled(old) != spelled(new):
                names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
                return f"line {number + 1} ({old['kind']}) is told otherwise now: {', '.join(names)}", number
    except (NarrationError, CuestoryError, KeyError, TypeError, ValueError) as error:
        return f"line {number + 2} cannot be told again: {' '.join(str(error).split())[:200]}", number + 1
    return "", len(recorded)


def _as_recorded(told: Json, ctx: StoryContext) -> StoryContext:
    """The context with the strategies that visitors could choose among then."""
    return replace(ctx, strategies=dict(told["strategies"]))


def model_faults(beats: Sequence[ToldBeat], gate: Grounding | None, notes: list[str]) -> Iterator[str]:
    """The sentences of a model that the gate does not prove from what they cite."""
    answers = [(beat, answer) for beat in beats for answer in beat.line.get("answers", ())]
    if gate is None:
        notes.append(f"{len(answers)} answers of the model were not proved again: no gate is installed")
        return
    for beat, answer in answers:
        for verdict in answer["verdicts"]:
            cited = [factlet for factlet in beat.evidence.factlets if factlet.id in verdict["evidence"]]
            complete = complete_in(beat.evidence, verdict["evidence"])
            proved = gate.check(verdict["text"], cited, complete=complete).proved
            if proved != verdict["proved"]:
                then, now = ("proved", "does not prove") if verdict["proved"] else ("refused", "proves")
                yield f"beat {beat.place}: the gate {then} and now {now}: {verdict['text']}"


def _unproved(beats: Sequence[ToldBeat], standing: Standing) -> Iterator[Unproved]:
    for beat in beats:
        for sentence in beat.sentences:
            if gone := standing.gone(beat.proof(sentence)):
                instead = tuple(dict.fromkeys(line for statement in gone for line in standing.instead(statement)))
                yield Unproved(beat.place, sentence.text, gone, instead)
