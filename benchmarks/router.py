"""How well visitors' own words are understood, and how quickly.

    uv run python benchmarks/router.py [--persona luca] [--sets tuning,fresh] [--faults] [--sweep]

Five sets. `tuning` (`tests/words/tuning.tsv`) and `fresh` (the odd lines of `fresh.tsv`) are what words, weights and
thresholds were chosen on; of `held` (its even lines) only the figures were looked at. `wordings` asks every wording of
every question of a library that does not hold it, five times in turn. `blind` was written by somebody else before the
matcher (`tests/words/phrasings.tsv`, answers in `labels.tsv`); nothing was ever chosen on it.

top-1: the first question is right. chips: one of those that are told or offered is. shown: one of the three on the
screen is, be they offered or named as the closest under a refusal. A question that the records cannot answer counts
as near. Milliseconds are processor time of this process, each text asked once before.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from agent.context import StoryContext
from graph_tools.library import Library
from graph_tools.matching import Embedder
from graph_tools.outcome import Outcome, Refused, Routed
from graph_tools.pack import StoryPack
from graph_tools.plan import Question
from graph_tools.router import Router
from graph_tools.terms import Iri

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "tests" / "words"
KINDS = ("good", "near", "unrelated", "steer")
FOLDS = 5


@dataclass(frozen=True)
class Line:
    """One thing that a visitor may type."""

    kind: str
    text: str
    accept: tuple[str, ...] = ()
    """`CQ-ID` or `CQ-ID:parameter=last part of an IRI`."""


@dataclass(frozen=True)
class Figures:
    """What a set of lines gave; shares of 1."""

    good: int
    first: float
    chips: float
    shown: float
    refused: float
    """Share of the good ones that were refused."""
    rejected: dict[str, float]
    """Kind -> share that was refused."""
    median: float
    slowest: float
    """Milliseconds: the middle, and the 95th of a hundred."""
    misses: tuple[tuple[str, int], ...] = ()
    """What went wrong -> how often: what a good line was refused for, or why a line was told something."""
    faults: tuple[str, ...] = ()

    def row(self, name: str) -> str:
        """One line of the table."""
        kinds = "  ".join(f"{self.rejected[kind]:>9.1%}" if kind in self.rejected else 9 * " " for kind in KINDS[1:])
        good = f"{self.good:>5}  {self.first:>6.1%}  {self.chips:>6.1%}  {self.shown:>6.1%}  {self.refused:>8.1%}"
        return f"{name:<10}{good}  {kinds}  {self.median:>6.1f}  {self.slowest:>6.1f}"


HEAD = (
    f"{'':<10}{'good':>5}  {'top-1':>6}  {'chips':>6}  {'shown':>6}  {'refused':>8}  "
    f"{'near':>9}  {'unrelated':>9}  {'steer':>9}  {'p50 ms':>6}  {'p95 ms':>6}"
)


def tuning() -> list[Line]:
    """The lines that everything was chosen on."""
    return _lines("tuning.tsv")


def fresh() -> list[Line]:
    """The odd lines of the second set: looked at, one by one."""
    return _lines("fresh.tsv")[::2]


def held() -> list[Line]:
    """Its even lines: only their figures are looked at."""
    return _lines("fresh.tsv")[1::2]


def _lines(name: str) -> list[Line]:
    return [Line(kind.split(":")[0], text, tuple(accept.split())) for kind, accept, text in _rows(WORDS / name)]


def blind() -> list[Line]:
    """The lines of somebody else, with their answers; none where there are no answers yet."""
    if not (WORDS / "labels.tsv").is_file():
        return []
    (_, *labelled), (_, *typed) = _rows(WORDS / "labels.tsv"), _rows(WORDS / "phrasings.tsv")
    labels = dict(labelled)
    lines: list[Line] = []
    for kind, text in typed:
        accept = tuple(labels[text].split())
        known = accept != ("-",)
        lines.append(Line(("good" if known else "near") if kind == "good" else kind, text, accept))
    return lines


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split("\t")


def fits(question: Question, accept: tuple[str, ...]) -> bool:
    """True where the question is one of the accepted answers."""
    for accepted in accept:
        cq_id, _, binding = accepted.partition(":")
        name, _, local = binding.partition("=")
        bound = question.bindings.get(name, "")
        if question.cq == cq_id and (not binding or bound.replace("#", "/").rsplit("/", 1)[-1] == local):
            return True
    return False


def shown(outcome: Outcome) -> tuple[Question, ...]:
    """What the visitor can pick: the question that was told and what else was near, or the chips."""
    if isinstance(outcome, Routed):
        return (outcome.question, *outcome.others)
    return () if isinstance(outcome, Refused) else outcome.nearest


def measure(router: Router, lines: list[Line], persona: str) -> Figures:
    """Every line asked once to be timed, after one round that fills what is remembered."""
    first = chips = near = refused = good = 0
    rejected: dict[str, list[bool]] = {}
    times: list[float] = []
    faults: list[str] = []
    misses: Counter[str] = Counter()
    for line in lines:
        router.route(line.text, persona)
    for line in lines:
        started = process_time()
        outcome = router.route(line.text, persona)
        times.append(1000 * (process_time() - started))
        found = shown(outcome)
        got = f"{type(outcome).__name__} {' '.join(question.key.split('/')[0] for question in found)}"
        if line.kind == "good":
            good += 1
            hits = [fits(question, line.accept) for question in found]
            first += hits[:1] == [True]
            chips += any(hits)
            refused += not found
            near += any(hits) or (isinstance(outcome, Refused) and any(fits(q, line.accept) for q in outcome.nearest))
            if not any(hits):
                misses[f"good {'refused' if not found else 'told otherwise'}: {_case(router, line, persona)}"] += 1
            if hits[:1] != [True]:
                faults.append(f"{'chips' if any(hits) else 'lost '}  {line.text}  ({' '.join(line.accept)}): {got}")
        else:
            rejected.setdefault(line.kind, []).append(isinstance(outcome, Refused))
            if not isinstance(outcome, Refused):
                misses[f"{line.kind} told: {_case(router, line, persona)}"] += 1
                faults.append(f"told   {line.text}  ({line.kind}): {got}")
    times.sort()
    return Figures(
        good=good,
        first=first / max(1, good),
        chips=chips / max(1, good),
        shown=near / max(1, good),
        refused=refused / max(1, good),
        rejected={kind: sum(hits) / len(hits) for kind, hits in rejected.items()},
        median=times[len(times) // 2],
        slowest=times[int(len(times) * 0.95)],
        misses=tuple(sorted(misses.items())),
        faults=tuple(faults),
    )


def _case(router: Router, line: Line, persona: str) -> str:
    """What decided about the line (`outcome.Case`), or that what fits best has no answer, or that no word was met."""
    weighed, limits = router.weighed(line.text, persona), router.thresholds
    best = weighed.short.told[0][0] if weighed.short.told else 0.0
    if weighed.short.lost > best + limits.lost and not weighed.short.akin:
        return "no answer"
    return limits.case(weighed.reading, weighed.short) + (" unmet" if weighed.short.share < limits.met else "")


def wordings(ctx: StoryContext, persona: str, embedder: Embedder | None = None) -> Figures:
    """Every wording of every question, asked of a library that does not hold it."""
    parts: list[Figures] = []
    for fold in range(FOLDS):
        templates, lines = [], []
        for template in ctx.pack.library.values():
            said = (template.cq.question, *template.cq.paraphrases)
            held = said[fold::FOLDS] if len(said) > 1 else ()
            kept = [wording for wording in said if wording not in held]
            changed = {"question": kept[0], "paraphrases": tuple(kept[1:])} if kept else {}
            templates.append(replace(template, cq=template.cq.model_copy(update=changed)))
            for wording in held:
                text = _asked(ctx, persona, template.cq.id, wording)
                if text:
                    lines.append(Line("good", text, (template.cq.id,)))
        pack = replace(ctx.pack, library=Library(templates))
        if lines:
            parts.append(measure(Router(pack, StoryContext.of(pack).composer, embedder), lines, persona))
    whole = max(1, sum(part.good for part in parts))
    return Figures(
        good=sum(part.good for part in parts),
        first=sum(part.first * part.good for part in parts) / whole,
        chips=sum(part.chips * part.good for part in parts) / whole,
        shown=sum(part.shown * part.good for part in parts) / whole,
        refused=sum(part.refused * part.good for part in parts) / whole,
        rejected={},
        median=max((part.median for part in parts), default=0.0),
        slowest=max((part.slowest for part in parts), default=0.0),
        faults=tuple(fault for part in parts for fault in part.faults),
    )


def _asked(ctx: StoryContext, persona: str, cq_id: str, wording: str) -> str:
    """The wording about the first entity of which its question can be told; "" where there is none."""
    pack, composer = ctx.pack, ctx.composer(persona)
    cq = pack.library[cq_id].cq
    open_ = [name for name in cq.parameters if name not in pack.defaults]
    bound = {name: iri.value for name, iri in pack.defaults.items() if name in cq.parameters}
    pool: tuple[Iri | None, ...] = pack.entities.of_class(Iri(cq.parameters[open_[0]].type)) if open_ else (None,)
    for iri in pool:
        if iri is not None and not pack.entities.name(iri):
            continue
        bindings = bound | ({open_[0]: iri.value} if iri else {})
        if composer.tellable(composer.worded(cq, bindings)):
            words = cq.model_copy(update={"question": wording})
            return composer.worded(words, bindings).question
    return ""


SETS: dict[str, Callable[[], list[Line]]] = {"tuning": tuning, "fresh": fresh, "held": held, "blind": blind}
SEEN = ("tuning", "fresh", "wordings")
"""Whose lines may be named."""
GRID = tuple(number / 50 for number in range(2, 41))


def sweep(router: Router, persona: str) -> Iterator[str]:
    """Case by case of `tuning` and `fresh`: from which likeness on how many lines of a kind are still offered."""
    scores: dict[str, list[tuple[str, float]]] = {}
    for line in (*tuning(), *fresh()):
        if line.kind != "steer":
            weighed = router.weighed(line.text, persona)
            best = weighed.short.told[0][0] if weighed.short.told else 0.0
            scores.setdefault(_case(router, line, persona), []).append((line.kind, best))
    for case, found in sorted(scores.items()):
        counts = Counter(kind for kind, _ in found)
        yield f"{case}: " + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS[:3])
        before: list[int] = []
        for least in GRID:
            kept = [sum(1 for kind, best in found if kind == wanted and best >= least) for wanted in KINDS[:3]]
            if kept != before:
                yield f"  from {least:.2f}: " + "  ".join(f"{number:>4}" for number in kept)
            before = kept


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--persona", default="emma")
    parser.add_argument("--sets", default="tuning,fresh,held,wordings,blind", help="which to ask, by comma")
    parser.add_argument("--faults", action="store_true", help=f"name every line of {', '.join(SEEN)} that went wrong")
    parser.add_argument("--sweep", action="store_true", help="show what each threshold lets in and keeps out")
    given = parser.parse_args()
    ctx = StoryContext.of(StoryPack.open(ROOT))
    started = process_time()
    router = Router(ctx.pack, ctx.composer)
    built = process_time() - started
    if given.sweep:
        print(*sweep(router, given.persona), sep="\n")
        return
    figures: dict[str, Figures] = {}
    for name in given.sets.split(","):
        if name == "wordings":
            figures[name] = wordings(ctx, given.persona)
        elif lines := SETS[name]():
            figures[name] = measure(router, lines, given.persona)
    print(HEAD)
    for name, found in figures.items():
        print(found.row(name))
    print(f"index built in {built:.2f} s")
    for name, found in figures.items():
        if found.misses:
            print(f"{name}: " + ", ".join(f"{count} {miss}" for miss, count in found.misses))
    if given.faults:
        for name in SEEN:
            print(*(figures[name].faults if name in figures else ()), sep="\n")


if __name__ == "__main__":
    main()
