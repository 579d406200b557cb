"""The terminal's commands about the graph: the gate, the builder, the profile, and what a change touches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.commands import SuggestingGroup, one_line, open_pack, pack_option, pack_path
from agent.presenter import displayable
from agent.settings import Settings

if TYPE_CHECKING:
    from graph_tools.knowledge_graph import EmbeddedGraph
    from graph_tools.staleness import Replaced

graph_file = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@pack_option
@click.option("--kg", "file", type=graph_file, metavar="FILE", help="check this graph file instead of a pack")
@click.option("--json", "as_json", is_flag=True, help="findings as JSON, all of them")
@click.option("--all", "whole", is_flag=True, help="every finding, however often its cause repeats")
def check(pack_dir: Path | None, file: Path | None, as_json: bool, whole: bool) -> None:
    """Check a pack, or a graph file alone: every fault with its place, cause, remedy and rule.

    With --kg alone, the file is held to the rules for any graph; with --pack too, to that pack's vocabulary and shapes.
    Of causes that repeat, the first ten are shown.

    Example: cuestory check --pack my-museum
    """
    from graph_tools.checks import check_graph, check_pack
    from graph_tools.checks.summary import MOST, counts, told

    if file is None:
        problems = check_pack(pack_path(pack_dir), cache=Settings.from_environment().own_records)
    else:
        problems = check_graph(file, open_pack(pack_dir) if pack_dir else None)
    if as_json:
        rows = [
            {"rule": p.rule, "file": p.file, "line": p.line, "iri": p.iri or None, "cause": p.cause, "remedy": p.remedy}
            for p in problems
        ]
        click.echo(json.dumps({"problems": rows}, ensure_ascii=False, indent=1))
    else:
        for line in told(problems, None if whole else MOST):
            click.echo(one_line(line))
        for line in counts(problems):
            click.echo(line, err=True)
    raise click.exceptions.Exit(1 if problems else 0)


@click.group(cls=SuggestingGroup)
def kg() -> None:
    """The knowledge graph.

    Example: cuestory kg find NAME
    """


@kg.command()
@pack_option
def build(pack_dir: Path | None) -> None:
    """Rebuild the graph and its description from the source tables; the same tables give the same bytes.

    Example: cuestory kg build
    """
    from graph_tools.build import write_graph

    for path in write_graph(pack_path(pack_dir)):
        click.echo(str(path))


@kg.command()
@click.argument("name")
@pack_option
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def find(name: str, pack_dir: Path | None, as_json: bool) -> None:
    """Find an entity by its name.

    Example: cuestory kg find "the full name, or a short one"
    """
    pack = open_pack(pack_dir)
    iri = pack.entities.find(name)
    classes = sorted(type_.value for type_ in pack.entities.types(iri))
    if as_json:
        found = {"iri": iri.value, "name": pack.entities.name(iri), "classes": classes}
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        click.echo(displayable(f"{pack.entities.name(iri)}  {iri.n3()}\n  " + "\n  ".join(classes)))


@kg.command()
@click.argument("file", type=graph_file, required=False)
@pack_option
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def profile(file: Path | None, pack_dir: Path | None, as_json: bool) -> None:
    """Count what a graph holds: a pack's own, or that of any file.

    Of a pack's graph it also says how much of it the pack's questions tell; of a file, where --pack is given.

    Example: cuestory kg profile
    """
    from graph_tools.graph_profile import profile as count

    pack = open_pack(pack_dir) if file is None or pack_dir else None
    graph = _load(file) if file else pack.graph if pack else None
    assert graph is not None
    figures = count(graph, pack.with_graph(graph) if pack else None)
    shares = {"told_share": figures.told_share, "attested_share": figures.attested_share}
    if as_json:
        click.echo(json.dumps(asdict(figures) | shares, ensure_ascii=False, indent=1))
        return
    for name, label in _FIGURES.items():
        click.echo(f"{getattr(figures, name):>8,}  {label}")
    if figures.told_share is not None:
        told = f"triples that prove an answer, {figures.told_share:.1%} of those that are no links"
        click.echo(f"{figures.told:>8,}  {told}")
        beside = f"with what names its things and says where it was read, {figures.attested_share:.1%}"
        click.echo(f"{figures.attested:>8,}  {beside}")
    for class_iri, members in figures.by_class.items():
        click.echo(f"{members:>8,}  {class_iri}")


_FIGURES = {
    "triples": "triples",
    "classes": "classes",
    "predicates": "predicates, without rdf:type",
    "typed_subjects": "typed subjects",
    "dual_typed": "of them with two classes or more",
    "untyped_subjects": "subjects without a class",
    "blank_nodes": "blank nodes",
}


@kg.command()
@click.argument("old", type=graph_file)
@click.argument("new", type=graph_file)
@click.argument("more", type=graph_file, nargs=-1, metavar="")
@pack_option
@click.option("--stories", is_flag=True, help="then FILE...: recorded stories, as audit logs or story files")
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def diff(old: Path, new: Path, more: tuple[Path, ...], pack_dir: Path | None, stories: bool, as_json: bool) -> None:
    """Name the questions, beats and tours that a change of the graph touches, and the recorded sentences.

    Example: cuestory kg diff old.ttl new.ttl --stories visit.jsonl story.json
    """
    from graph_tools.graph_change import compare

    if stories != bool(more):
        raise click.UsageError("name the recorded stories after --stories, and only there")
    before, after = _load(old), _load(new)
    sentences = list(_sentences(more, before, after))
    change = compare(before, after, open_pack(pack_dir))
    if as_json:
        rows = {
            "lost": [triple.n3() for triple in change.lost],
            "gained": [triple.n3() for triple in change.gained],
            "questions": [
                {
                    "id": question.id,
                    "lost": [triple.n3() for triple in question.lost],
                    "gained": [triple.n3() for triple in question.gained],
                    "silenced": question.silenced,
                }
                for question in change.questions
            ],
            "beats": [asdict(beat) for beat in change.beats],
            "tours": [asdict(stop) for stop in change.tours],
            "sentences": [
                {"file": str(file), "beat": beat, "text": text, "proof": [asdict(one) for one in replaced]}
                for file, beat, text, replaced in sentences
            ],
        }
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    click.echo(f"{len(change.lost)} statements lost, {len(change.gained)} gained")
    for question in change.questions:
        end = ", which is answered for nobody now" if question.silenced else ""
        click.echo(f"{question.id:9} {len(question.lost)} lost, {len(question.gained)} gained in its proofs{end}")
    for beat in change.beats:
        click.echo(f"{beat.persona} {beat.length}, beat {beat.index} ({beat.step}): {', '.join(beat.questions)}")
    for stop in change.tours:
        click.echo(f"tour {stop.tour}, stop {stop.stop} ({displayable(stop.heading)}): {', '.join(stop.questions)}")
    for file, place, text, replaced in sentences:
        click.echo(f"told in {file}, beat {place}: {displayable(text)}")
        for one in replaced:
            click.echo(f"  before: {displayable(one.before)}")
            for line in one.after:
                click.echo(f"  after:  {displayable(line)}")


def _sentences(
    files: Iterable[Path], old: EmbeddedGraph, new: EmbeddedGraph
) -> Iterator[tuple[Path, int, str, tuple[Replaced, ...]]]:
    """The recorded sentences of which a proof is lost: file, beat, text, and what was replaced."""
    from agent.recorded import read_told
    from graph_tools.staleness import Standing

    before, after = Standing(old), Standing(new)
    for file in files:
        for beat in read_told(file):
            for sentence in beat.sentences:
                if replaced := after.replaced(beat.proof(sentence), before):
                    yield file, beat.place, sentence.text, replaced


def _load(file: Path) -> EmbeddedGraph:
    from graph_tools.knowledge_graph import open_graph

    return open_graph(file.parent, [file.name])
