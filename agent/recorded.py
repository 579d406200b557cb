"""What was told, read back from a file: an audit log or a story file, sentence by sentence with its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.audit_line import TIMINGS, Json
from agent.audit_log import AuditLog, read_log
from agent.errors import NotALog
from agent.story import Sentence
from graph_tools.evidence import Asked, EvidencePack, Factlet
from graph_tools.provenance import Record, Said, Told


@dataclass(frozen=True, slots=True)
class ToldBeat:
    """One beat as it was recorded."""

    place: int
    step: str
    status: str
    because: str
    """Why it was suppressed."""
    sentences: tuple[Sentence, ...]
    evidence: EvidencePack
    attestations: tuple[str, ...]
    line: Json
    """The whole line of the log."""

    @property
    def heading(self) -> str:
        """The question that it answers."""
        return self.evidence.questions[0].question if self.evidence.questions else self.step

    def cited(self, sentence: Sentence) -> tuple[Factlet, ...]:
        """The factlets that prove a sentence."""
        return tuple(factlet for factlet in self.evidence.factlets if factlet.id in sentence.evidence)

    def proof(self, sentence: Sentence) -> tuple[str, ...]:
        """The statements that prove it, each once."""
        return tuple(dict.fromkeys(line for factlet in self.cited(sentence) for line in factlet.triples))

    def asked_for(self, sentence: Sentence) -> tuple[Asked, ...]:
        """The questions whose rows prove it, as they were put to the graph."""
        ids = {factlet.cq for factlet in self.cited(sentence)}
        return tuple(asked for asked in self.evidence.questions if asked.cq in ids)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whoever can make hashes that fit can write anything between them: what is no log of ours raises NotALog."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotALog(f"{path} holds what this version does not write ({type(error).__name__}: {error})") from error


def record_of(log: AuditLog) -> Record:
    """The story of a log, for its export as RDF. Raises NotALog."""
    head = log.head
    narrator = head["narrator"]
    return Record(
        id=log.lines[0].hash,
        began=str(log.lines[0].told.get(TIMINGS, {}).get("at", "")),
        language=head["request"]["lang"],
        teller=f"cuestory {head['cuestory']}",
        narrator=narrator["model"] or f"the {narrator['kind']}s of the pack",
        pack=f"{head['pack']['name']} {head['pack']['version']}",
        graph=head["pack"]["kg_digest"],
        beats=tuple(_for_export(beat) for beat in told_beats([line.told for line in log.lines])),
    )


def _for_export(beat: ToldBeat) -> Told:
    said = [
        Said(
            sentence.text,
            beat.cited(sentence),
            tuple(snippet for snippet in beat.evidence.snippets if snippet.id in sentence.evidence),
        )
        for sentence in beat.sentences
    ]
    return Told(beat.place, beat.step, beat.because, beat.evidence.questions, tuple(said))


def told_beats(lines: Iterable[Json]) -> tuple[ToldBeat, ...]:
    """The beats of a log, in order. Raises NotALog where a line does not hold what it should."""
    found: dict[int, ToldBeat] = {}
    for line in lines:
        if line.get("kind") == "beat":
            try:
                beat = _beat(line, found)
            except (KeyError, TypeError, ValidationError) as error:
                raise NotALog(f"a beat of the log is not one that this version writes: {error}") from error
            found[beat.place] = beat
    return tuple(found.values())


def read_told(path: Path) -> tuple[ToldBeat, ...]:
    """The beats of an audit log, as far as it holds together, or of a story file. Raises NotALog, OSError."""
    written = path.read_bytes()
    log = read_log(written)
    if log.lines:
        return told_beats([line.told for line in log.lines])
    try:
        story = json.loads(written)
        return tuple(_of_story(beat) for beat in story["beats"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise NotALog(f"{path} is neither an audit log nor a story file of cuestory tell --json") from None


def _beat(line: Mapping[str, Any], before: Mapping[int, ToldBeat]) -> ToldBeat:
    evidence = line["evidence"]
    return ToldBeat(
        place=line["place"],
        step=line["step"],
        status=line["status"],
        because=line["suppressed_because"] or "",
        sentences=_sentences(line["sentences"]),
        evidence=before[line["retells"]].evidence if evidence is None else EvidencePack.model_validate(evidence),
        attestations=tuple(line["attestations"]),
        line=dict(line),
    )


def _of_story(beat: Mapping[str, Any]) -> ToldBeat:
    evidence = EvidencePack(
        questions=tuple(Asked.model_validate(asked) for asked in beat["questions"]),
        factlets=tuple(Factlet.model_validate({"values": {}, **factlet}) for factlet in beat["factlets"]),
        kg_digest="",
    )
    return ToldBeat(
        place=beat["index"],
        step=beat["step"],
        status=beat["status"],
        because=beat["suppressed_because"] or "",
        sentences=_sentences(beat["sentences"]),
        evidence=evidence,
        attestations=tuple(beat.get("attestations", ())),
        line={},
    )


def _sentences(told: Sequence[Any]) -> tuple[Sentence, ...]:
    return tuple(Sentence.model_validate(sentence) for sentence in told)
