"""One `.rq` file: a typed header, a strictly checked query, and the one binder.

The header is TOML in lines that begin with `#+` (comments to SPARQL), so the whole file is valid SPARQL. `$name` marks
a parameter. Nothing but `Template` ever edits a query, and it replaces whole `$name` tokens only.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from graph_tools import sparql_scope, sparql_subset, sparql_tree, template_record
from graph_tools.cq import CompetencyQuestion
from graph_tools.errors import InvalidPack, MissingParameter, Problem, QueryFailed, UnknownEntity, nearest
from graph_tools.header_checks import header_problems
from graph_tools.sparql_braces import Fault
from graph_tools.sparql_scope import Compiled
from graph_tools.sparql_tokens import Token, UnreadableQuery, tokenize
from graph_tools.sparql_tree import Name, Pattern, Place
from graph_tools.terms import Blank, Iri, Row, Term, Triple
from graph_tools.toml_source import TomlSource, read_toml, validate

_IRIREF = re.compile(r'[^\x00-\x20<>"{}|^`\\]+')
"""What may stand between the angle brackets of an IRI, whatever the engine (SPARQL 1.1, rule 139)."""


_GAP = r"(?:\s|#[^\n]*+)*+"
_PREFIX = re.compile(rf"{_GAP}PREFIX{_GAP}([^\s:#]*+):{_GAP}<([^>]*)>", re.IGNORECASE)

MAX_CHARACTERS = 65_536
"""Of one question's file. It takes a few thousand."""
MAX_BYTES = 1_000_000
"""Of any file of a pack that is read as text."""


class Checks(Protocol):
    """Whoever knows the entities: the pack's entity index."""

    def check(self, iri: Iri, class_iri: str) -> None:
        """Raises UnknownEntity or WrongEntityType."""


class Contains(Protocol):
    """Whoever knows the triples: a knowledge graph."""

    def contains(self, triple: Triple) -> bool:
        """True where the statement is in the graph."""


@dataclass(frozen=True)
class Template:
    """A competency question with the query that answers it."""

    cq: CompetencyQuestion
    file: str
    """Path relative to the pack."""
    header: TomlSource = field(repr=False)
    query: str = field(repr=False)
    """The SPARQL below the header, `$name` where a parameter stands."""
    compiled: Compiled = field(repr=False)

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables of a row, in SELECT order."""
        return self.compiled.variables

    @property
    def required(self) -> tuple[Pattern, ...]:
        """The patterns that every row instantiates."""
        return self.compiled.required

    @property
    def optional(self) -> tuple[tuple[Pattern, ...], ...]:
        """OPTIONAL blocks and UNION branches."""
        return self.compiled.optional

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The classes and properties of its query, as prefixed names, sorted: what `terms` of the header has to say."""
        declared = sorted(prefixes(self.query), key=lambda pair: (-len(pair[1]), pair[0]))
        return tuple(sorted(_prefixed(iri, declared) for iri in self.compiled.terms))

    def bind(self, bindings: Mapping[str, Iri], entities: Checks) -> str:
        """The query with every parameter replaced by its entity.

        Raises MissingParameter, UnknownEntity, WrongEntityType: no query text is made before all bindings are checked.
        """
        self._check(bindings, frozenset(self.cq.parameters), entities)
        return self._filled(self._tokens, bindings)

    def prove(self, row: Row, bindings: Mapping[str, Iri], graph: Contains) -> tuple[Triple, ...]:
        """The triples that made the row (why-provenance): the required patterns with its values in them, and every
        OPTIONAL block or UNION branch that is wholly in the graph; in pattern order, each once.

        Raises QueryFailed where a required triple is not in the graph, which no engine may answer."""
        return prove(self.compiled, row, bindings, graph, self.cq.id)

    @cached_property
    def _tokens(self) -> tuple[Token, ...]:
        return tokenize(self.query)

    def _check(self, bindings: Mapping[str, Iri], wanted: frozenset[str], entities: Checks) -> None:
        for name in sorted(wanted - bindings.keys()):
            raise MissingParameter(f"{self.cq.id} needs {name!r}; bind it to a {self.cq.parameters[name].type}")
        for name in sorted(bindings.keys() - wanted):
            known = nearest(name, wanted or ["none to bind"])
            raise MissingParameter(f"{self.cq.id} has no parameter {name!r} to bind; {known}")
        for name, iri in sorted(bindings.items()):
            if not _IRIREF.fullmatch(iri.value):
                raise UnknownEntity(f"{iri.value!r} is not an IRI; see cuestory kg find")
            entities.check(iri, self.cq.parameters[name].type)

    @staticmethod
    def _filled(tokens: tuple[Token, ...], bindings: Mapping[str, Iri]) -> str:
        return "".join(
            bindings[token.bare].n3() if token.kind == "parameter" and token.bare in bindings else token.text
            for token in tokens
        )


def prove(compiled: Compiled, row: Row, bindings: Mapping[str, Iri], graph: Contains, asked: str) -> tuple[Triple, ...]:
    """The triples that made a row of a checked query; `asked` names the query. As `Template.prove`."""
    proof: dict[Triple, None] = {}
    for pattern in compiled.required:
        triple = _instance(pattern, row, bindings)
        if triple is None or not graph.contains(triple):
            raise QueryFailed(f"{asked}: a row is not proven by its own pattern {pattern.shown()}")
        proof[triple] = None
    for block in compiled.optional:
        triples = [_instance(pattern, row, bindings) for pattern in block]
        if all(triple is not None and graph.contains(triple) for triple in triples):
            proof.update(dict.fromkeys(triple for triple in triples if triple is not None))
    return tuple(proof)


def strictly(text: str, parameters: frozenset[str]) -> Compiled | tuple[Fault, ...]:
    """A query as the template language allows it, or every fault that could be found in one go."""
    scan = sparql_subset.scan(text, parameters)
    if scan.faults:
        return scan.faults
    tree = sparql_tree.parse(scan.tokens, scan.prefixes)
    if isinstance(tree, Fault):
        return (tree,)
    return sparql_scope.compile_tree(tree, parameters, scan.tokens)


def prefixes(query: str) -> Iterator[tuple[str, str]]:
    """The declarations with which the query begins: prefix and IRI."""
    at = 0
    while match := _PREFIX.match(query, at):
        yield match.group(1), match.group(2)
        at = match.end()


def tellable(row: Row) -> bool:
    """False for a row with a blank node: it has no name that could be cited."""
    return not any(isinstance(term, Blank) for term in row.values())


def _prefixed(iri: str, declared: Iterable[tuple[str, str]]) -> str:
    for prefix, base in declared:
        if iri.startswith(base) and re.fullmatch(r"[\w.-]*", iri[len(base) :]):
            return f"{prefix}:{iri[len(base) :]}"
    return f"<{iri}>"


def _instance(pattern: Pattern, row: Row, bindings: Mapping[str, Iri]) -> Triple | None:
    terms = [_term(place, row, bindings) for place in pattern]
    subject, predicate, object_ = terms
    if subject is None or predicate is None or object_ is None:
        return None
    return Triple(subject, predicate, object_)


def _term(place: Place, row: Row, bindings: Mapping[str, Iri]) -> Term | None:
    if isinstance(place, Name):
        return row.get(place.name) if place.sign == "?" else bindings.get(place.name)
    return place


def load_template(
    path: Path, text: str | None = None, *, file: str | None = None, cache: Path | None = None
) -> Template:
    """Reads and checks one file; `file` is the name used in problems, `cache` the directory of strict-parse records.

    Raises InvalidPack with every problem of the file that could be found in one go."""
    name = file or path.name
    if text is None:
        text = read_text(path, name)
    if len(text) > MAX_CHARACTERS:
        cause = f"the file has more than {MAX_CHARACTERS:,} characters"
        raise InvalidPack([Problem(name, None, cause, "make several questions of it")])
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    header = [(number, line[2:]) for number, line in enumerate(lines[:end], start=1) if line.startswith("#+")]
    # Nothing but comments is left out of what is checked: further down, such a line may stand inside a string.
    query = "\n".join(line for at, line in enumerate(lines) if at >= end or not line.startswith("#+")).strip() + "\n"
    if not header:
        raise InvalidPack([Problem(name, 1, "there is no header", "begin the file with TOML in #+ lines")])
    source = read_toml("\n".join(_unindented(line) for _, line in header), name, tuple(number for number, _ in header))
    if isinstance(source, Problem):
        raise InvalidPack([source])
    cq = validate(CompetencyQuestion, source)
    problems = list(cq) if isinstance(cq, tuple) else []
    problems += [
        Problem(name, number, "a header line stands below the query's first line", "move it up to the others")
        for number, line in enumerate(lines[end:], start=end + 1)
        if line.startswith("#+")
    ]
    declared = source.data.get("parameters", {})
    parameters = frozenset(declared) if isinstance(declared, dict) else frozenset[str]()
    recalled = None if problems else template_record.recall(cache, text)
    compiled = recalled or strictly(text, parameters)
    for parameter in sorted(parameters - (parameters if recalled else _holes(query))):
        cause = f"parameter {parameter!r} is declared, but ${parameter} is not used"
        problems.append(source.problem(("parameters", parameter), cause, "use it, or take it out"))
    if not isinstance(compiled, Compiled):
        problems += [Problem(name, fault.line, fault.cause, fault.remedy) for fault in compiled]
    if isinstance(cq, CompetencyQuestion):
        cq, more = _with_classes(cq, source, query)
        variables = compiled.variables if isinstance(compiled, Compiled) else None
        problems += [*more, *header_problems(cq, source, path.stem, variables)]
    if problems or isinstance(cq, tuple) or not isinstance(compiled, Compiled):
        raise InvalidPack(dict.fromkeys(problems))
    if recalled is None:
        template_record.remember(cache, text, compiled)
    return Template(cq, name, source, query, compiled)


def read_text(path: Path, name: str) -> str:
    """The text of a UTF-8 file, with or without a byte order mark; raises InvalidPack naming what else it is."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):  # it could be read for ever
            raise InvalidPack([Problem(name, None, "is no plain file", "put the file itself there")])
        if found.st_size > MAX_BYTES:
            raise InvalidPack([Problem(name, None, f"has more than {MAX_BYTES:,} bytes", "make it smaller")])
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidPack([Problem(name, None, f"is not UTF-8 ({error.reason})", "save it as UTF-8")]) from error
    except OSError as error:
        raise InvalidPack([Problem(name, None, f"cannot be read: {error.strerror}", "check the path")]) from error


def _unindented(line: str) -> str:
    return line.removeprefix(" ")


def _with_classes(cq: CompetencyQuestion, source: TomlSource, query: str) -> tuple[CompetencyQuestion, list[Problem]]:
    """The question with its parameter classes as IRIs."""
    declared = dict(prefixes(query))
    problems = []
    parameters = {}
    for name, parameter in cq.parameters.items():
        prefix, _, local = parameter.type.partition(":")
        iri = parameter.type
        if prefix in declared:
            iri = declared[prefix] + local
        elif not re.match(r"[a-z][a-z0-9+.-]*://|urn:", iri):
            cause = f"the class {iri!r} of {name!r} is no IRI, and the query has no such prefix"
            place = ("parameters", name, "class")
            problems.append(source.problem(place, cause, nearest(prefix, declared or ["no prefixes in the query"])))
        parameters[name] = parameter.model_copy(update={"type": iri})
    return cq.model_copy(update={"parameters": parameters}), problems


def _holes(query: str) -> frozenset[str]:
    try:
        return frozenset(token.bare for token in tokenize(query) if token.kind == "parameter")
    except UnreadableQuery:  # reported by the strict check
        return frozenset(re.findall(r"\$(\w+)", query))
