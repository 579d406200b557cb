"""The tables of a report, in Markdown: those of the paper, our own, and who differs from whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from evaluation import published
from evaluation.measures import MEASURES, Measure
from evaluation.results import LENGTHS, STRATEGIES, SYSTEMS, Row, ordered
from evaluation.scores import Score, Unscored, mean
from evaluation.stats import Interval, Paired, Strata, interval, paired

OURS = "cuestory"
NONE = "–"


def paper_table(table: published.Table, rows: Sequence[Row]) -> str:
    """One table of the paper, in its layout: ours, published, the difference, and the baselines on the same rows."""
    printed = [name for name in STRATEGIES if getattr(table, name)]
    strategies = ordered([*(row.key.strategy for row in rows), *printed], STRATEGIES)
    columns = [(strategy, number, column) for strategy in strategies for number, column in enumerate(table.columns)]
    head = ["Persona", "Length", "", *(f"{_title(strategy)} {column.title}" for strategy, _, column in columns)]
    personas = ordered((row.key.persona for row in rows), ())
    body: list[list[str]] = []
    for persona in personas:
        for length in ordered((row.key.length for row in rows), LENGTHS):
            here = [row for row in rows if (row.key.persona, row.key.length) == (persona, length)]
            lines: dict[str, list[str]] = {"ours": [], "published": [], "difference": []}
            for strategy, number, column in columns:
                own = _mean(here, OURS, strategy, column.metric)
                theirs = table.figure(strategy, persona, length, number)
                lines["ours"].append(figure(own, column.decimals))
                lines["published"].append(NONE if theirs is None else f"{theirs:.{column.decimals}f}")
                known = theirs is not None and not isinstance(own, Unscored)
                lines["difference"].append(f"{own - theirs:+.{column.decimals}f}" if known else NONE)  # type: ignore[operator]
            for system in ordered((row.key.system for row in rows), SYSTEMS):
                if system != OURS:
                    lines[system] = [
                        figure(_mean(here, system, strategy, column.metric), column.decimals)
                        for strategy, _, column in columns
                    ]
            for place, (who, cells) in enumerate(lines.items()):
                body.append(
                    [persona.capitalize() if not place else "", length.capitalize() if not place else "", who, *cells]
                )
    return markdown(head, body)


def own_table(rows: Sequence[Row], strategy: str, measures: Sequence[Measure]) -> str:
    """Every measure for one strategy: our stories and each baseline, means with 95 % intervals."""
    systems = ordered((row.key.system for row in rows), SYSTEMS)
    head = ["Measure", "Unit", "Better", *systems]
    body = []
    for measure in measures:
        cells = [_interval(rows, system, strategy, measure) for system in systems]
        body.append([measure.title, measure.unit, measure.better or NONE, *cells])
    return markdown(head, body)


def strategy_table(rows: Sequence[Row]) -> str:
    """Every pair of strategies on the same persona, length and seed; "" where there is only one strategy."""
    own = [row for row in rows if row.key.system == OURS]
    pairs = list(combinations(ordered((row.key.strategy for row in own), STRATEGIES), 2))
    body = [
        line
        for one, other in pairs
        for line in _compared(_by(own, "strategy", one), _by(own, "strategy", other), f"{one} - {other}")
    ]
    return markdown(_COMPARED, body) if pairs else ""


def baseline_table(rows: Sequence[Row]) -> str:
    """Our stories against each baseline made of them, all strategies together."""
    others = [system for system in ordered((row.key.system for row in rows), SYSTEMS) if system != OURS]
    body = [
        line
        for other in others
        for line in _compared(_by(rows, "system", OURS), _by(rows, "system", other), f"{OURS} - {other}")
    ]
    return markdown(_COMPARED, body)


def mean_of(rows: Sequence[Row], system: str, key: str) -> Score:
    """The mean of a measure over all stories of a system."""
    return mean(row.scores[key] for row in rows if row.key.system == system)


def gaps(rows: Sequence[Row]) -> list[str]:
    """One line for each measure and reason for which stories could not be scored."""
    found: dict[tuple[str, str, str], int] = {}
    for row in rows:
        for measure in MEASURES:
            score = row.scores[measure.key]
            if isinstance(score, Unscored):
                which = (measure.key, row.key.system, score.because)
                found[which] = found.get(which, 0) + 1
    return [f"- `{key}` of {count} {system} stories: {why}" for (key, system, why), count in found.items()]


def markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def figure(score: Score, decimals: int) -> str:
    """A figure as it is printed; what could not be scored is a dash."""
    return NONE if isinstance(score, Unscored) else f"{score:.{decimals}f}"


_COMPARED = ["Pair", "Measure", "Difference [95 %]", "Effect (d_z)", "Higher in", "Pairs"]


def _compared(
    one: dict[tuple[object, ...], Row], other: dict[tuple[object, ...], Row], name: str
) -> Iterator[list[str]]:
    for measure in MEASURES:
        strata: dict[str, list[float]] = {}
        for key in sorted(one.keys() & other.keys(), key=str):
            a, b = one[key].scores[measure.key], other[key].scores[measure.key]
            if not isinstance(a, Unscored) and not isinstance(b, Unscored):
                row = one[key].key
                strata.setdefault(f"{row.persona} {row.length} {row.strategy}", []).append(a - b)
        if not any(value for values in strata.values() for value in values):
            continue
        found = paired(strata, f"{name} {measure.key}")
        if isinstance(found, Paired):
            yield [name, measure.title + _group(measure), *_paired(found, measure)]


def _paired(found: Paired, measure: Measure) -> list[str]:
    return [
        _spanned(found.difference, measure.decimals, sign="+"),
        figure(found.effect, 2),
        f"{100 * found.higher:.0f} %",
        str(found.difference.stories),
    ]


def _by(rows: Sequence[Row], field: str, value: str) -> dict[tuple[object, ...], Row]:
    chosen = [row for row in rows if getattr(row.key, field) == value]
    kept = [name for name in ("system", "persona", "length", "strategy", "seed") if name != field]
    return {tuple(getattr(row.key, name) for name in kept): row for row in chosen}


def _mean(rows: Sequence[Row], system: str, strategy: str, metric: str) -> Score:
    return mean(row.scores[metric] for row in rows if (row.key.system, row.key.strategy) == (system, strategy))


def _interval(rows: Sequence[Row], system: str, strategy: str, measure: Measure) -> str:
    found = interval(strata_of(rows, system, strategy, measure.key), f"{system} {strategy} {measure.key}")
    return NONE if isinstance(found, Unscored) else _spanned(found, measure.decimals)


def strata_of(rows: Sequence[Row], system: str, strategy: str, key: str) -> Strata:
    """Persona and length -> the figures of one measure."""
    strata: dict[str, list[float]] = {}
    for row in rows:
        score = row.scores[key]
        if (row.key.system, row.key.strategy) == (system, strategy) and not isinstance(score, Unscored):
            strata.setdefault(f"{row.key.persona} {row.key.length}", []).append(score)
    return strata


def _spanned(found: Interval, decimals: int, sign: str = "") -> str:
    return f"{found.mean:{sign}.{decimals}f} [{found.low:{sign}.{decimals}f}, {found.high:{sign}.{decimals}f}]"


def _group(measure: Measure) -> str:
    return "" if measure.group == "ours" else f" ({measure.group})"


def _title(strategy: str) -> str:
    return {"kg": "KG", "hybrid": "Hybrid", "graph": "Graph"}.get(strategy, strategy)
