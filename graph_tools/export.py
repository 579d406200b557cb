"""The library for others: as RDF, as a table, and as plain queries. The same pack gives the same bytes.

Published terms only: SHACL for the query and its parameters, SKOS for question and paraphrases, DCMI terms for what it
requires, is about and draws on, PROV for the user stories from which it came.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from graph_tools.build.canonical import turtle
from graph_tools.library import SKOS_IN_SCHEME, SKOS_PREF_LABEL
from graph_tools.pack import StoryPack
from graph_tools.template import Template
from graph_tools.terms import RDF_TYPE, Iri, Literal, Term, Triple

_BASES = {
    "dcterms": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "sh": "http://www.w3.org/ns/shacl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
_LANG_STRING = _BASES["rdf"] + "langString"
COLUMNS = (
    *("id", "question", "paraphrases", "stands_for", "parameters", "results", "themes", "personas", "stories"),
    *("steps", "needs", "terms", "sources", "enrich", "min_evidence", "cap", "query"),
)
"""Of the table. What may have several values is JSON in its cell."""


def write_library(pack: StoryPack, folder: Path) -> tuple[Path, ...]:
    """Writes library.ttl, library.csv and queries/*.rq below the folder; what else lies there stays. Raises OSError."""
    files = {"library.ttl": library_turtle(pack), "library.csv": library_csv(pack)}
    files |= {f"queries/{cq_id}.rq": plain_query(template) for cq_id, template in pack.library.items()}
    (folder / "queries").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return tuple(folder / name for name in files)


def plain_query(template: Template) -> bytes:
    """The SPARQL alone, UTF-8, below one comment that says what it asks; `$name` where a parameter stands."""
    return f"# {template.cq.id}: {template.cq.question}\n{template.query}".encode()


def library_csv(pack: StoryPack) -> bytes:
    """One row a question, UTF-8 with line feeds, `COLUMNS` as its head."""
    written = io.StringIO()
    table = csv.DictWriter(written, COLUMNS, lineterminator="\n")
    table.writeheader()
    for template in pack.library.values():
        told = template.cq.model_dump(by_alias=True) | {"query": template.query}
        table.writerow({name: _cell(told[name]) for name in COLUMNS})
    return written.getvalue().encode()


def library_turtle(pack: StoryPack) -> bytes:
    """The questions with their parameters, the personas and their stories, as canonical Turtle."""
    return turtle(_statements(pack), _BASES | {"cq": pack.iri("").value})


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _term(name: str) -> Iri:
    prefix, _, local = name.partition(":")
    return Iri(_BASES[prefix] + local)


def _statements(pack: StoryPack) -> Iterator[Triple]:
    library = pack.iri("library")
    yield Triple(library, RDF_TYPE, _term("skos:ConceptScheme"))
    yield Triple(library, _term("dcterms:title"), Literal(pack.title, _LANG_STRING, pack.language))
    yield Triple(library, _term("dcterms:hasVersion"), Literal(pack.version))
    yield from _people(pack)
    themes = _themes(pack)
    for template in pack.library.values():
        yield from _question(pack, template, library, themes)
        yield from _parameters(pack, template)


def _people(pack: StoryPack) -> Iterator[Triple]:
    for persona in pack.personas.values():
        who = pack.iri(persona.id)
        yield Triple(who, RDF_TYPE, _term("dcterms:AgentClass"))
        yield Triple(who, _term("skos:prefLabel"), _said(pack, persona.name))
        yield Triple(who, _term("dcterms:description"), _said(pack, persona.description.strip()))
        for story in persona.stories:
            yield Triple(pack.iri(story.id), RDF_TYPE, _term("prov:Entity"))
            yield Triple(pack.iri(story.id), _term("prov:wasAttributedTo"), who)
            yield Triple(pack.iri(story.id), _term("dcterms:description"), _said(pack, story.wants))


def _question(pack: StoryPack, template: Template, library: Iri, themes: dict[str, Iri]) -> Iterator[Triple]:
    cq, about = template.cq, pack.iri(template.cq.id)
    yield Triple(about, RDF_TYPE, _term("skos:Concept"))
    yield Triple(about, RDF_TYPE, _term("sh:SPARQLSelectExecutable"))
    told: list[tuple[str, Term]] = [
        ("skos:inScheme", library),
        ("dcterms:identifier", Literal(cq.id)),
        ("skos:prefLabel", _said(pack, cq.question)),
        ("sh:select", Literal(template.query)),
        *(("skos:altLabel", _said(pack, text)) for text in cq.paraphrases),
        *(("skos:hiddenLabel", Literal(other)) for other in cq.stands_for),
        *(("dcterms:description", _said(pack, text)) for text in (cq.needs,) if text),
        *(("dcterms:subject", themes[theme]) for theme in cq.themes if theme in themes),
        *(("dcterms:audience", pack.iri(persona)) for persona in cq.personas),
        *(("prov:wasDerivedFrom", pack.iri(story)) for story in cq.stories),
        *(("dcterms:requires", Iri(term)) for term in template.compiled.terms),
        *(("dcterms:source", Literal(publisher)) for publisher in cq.sources),
        *(("sh:parameter", pack.iri(f"{cq.id}-{name}")) for name in cq.parameters),
    ]
    yield from (Triple(about, _term(name), value) for name, value in told)


def _parameters(pack: StoryPack, template: Template) -> Iterator[Triple]:
    """In SHACL a parameter is called what its path ends in."""
    for name, parameter in template.cq.parameters.items():
        about, path = pack.iri(f"{template.cq.id}-{name}"), pack.iri(name)
        yield Triple(path, RDF_TYPE, _term("rdf:Property"))
        yield Triple(about, RDF_TYPE, _term("sh:Parameter"))
        yield Triple(about, _term("sh:path"), path)
        yield Triple(about, _term("sh:name"), Literal(name))
        yield Triple(about, _term("sh:class"), Iri(parameter.type))
        if parameter.applies_to:
            meaning = pack.groups.declared[parameter.applies_to].meaning
            yield Triple(about, _term("sh:description"), _said(pack, meaning))


def _themes(pack: StoryPack) -> dict[str, Iri]:
    """Label -> concept of the graph's own scheme."""
    concepts = {triple.subject for triple in pack.graph.match(predicate=SKOS_IN_SCHEME)}
    labels = sorted(pack.graph.match(predicate=SKOS_PREF_LABEL), key=lambda triple: triple.n3())
    return {
        triple.object.lexical: triple.subject
        for triple in labels
        if triple.subject in concepts and isinstance(triple.object, Literal) and isinstance(triple.subject, Iri)
    }


def _said(pack: StoryPack, text: str) -> Literal:
    return Literal(text, _LANG_STRING, pack.language)
