"""The template language, second lock: what may stand in the parse tree, and the tree in our own words.

rdflib's strict SPARQL 1.1 parser reads the text with a dummy entity in place of every parameter, so what is checked is
what will run. The walk is over a closed list: a node that it does not know is refused. rdflib is imported only here and
in the rdflib adapter, and only when called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graph_tools.rdflib_log import quieten
from graph_tools.sparql_braces import Fault
from graph_tools.sparql_tokens import Token
from graph_tools.terms import XSD_STRING, Iri, Literal

_DUMMY = "urn:cuestory:parameter:"
_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


@dataclass(frozen=True, slots=True)
class Name:
    """A place in a pattern that a solution fills (`?name`) or a binding (`$name`)."""

    sign: str
    name: str

    def __str__(self) -> str:
        return self.sign + self.name


Place = Name | Iri | Literal


class Pattern(NamedTuple):
    """A triple pattern."""

    subject: Place
    predicate: Place
    object: Place

    @property
    def names(self) -> frozenset[Name]:
        """Its variables and parameters."""
        return frozenset(place for place in self if isinstance(place, Name))

    @property
    def variables(self) -> frozenset[str]:
        """Names of its variables, without the sign."""
        return frozenset(name.name for name in self.names if name.sign == "?")

    def shown(self) -> str:
        """As it would stand in a query."""
        return " ".join(str(place) if isinstance(place, Name) else place.n3() for place in self)


@dataclass(frozen=True, slots=True)
class Condition:
    """A FILTER: the names it looks at itself, and the groups of its EXISTS and NOT EXISTS."""

    names: frozenset[Name]
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between one pair of braces: first what is required, then what may be missing."""

    patterns: tuple[Pattern, ...]
    unions: tuple[tuple[Group, ...], ...] = ()
    """Branches of each UNION; one alone is braces that hold a FILTER to their own patterns."""
    optionals: tuple[Group, ...] = ()
    minuses: tuple[Group, ...] = ()
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A template's query: what it selects, its braces, and (variable, descending) of its ORDER BY."""

    selected: tuple[str, ...]
    group: Group
    order: tuple[tuple[str, bool], ...]


class _Refused(Exception):
    def __init__(self, cause: str, remedy: str, line: int | None = None) -> None:
        super().__init__(cause)
        self.remedy = remedy
        self.line = line


def parse(tokens: Sequence[Token], prefixes: Mapping[str, str]) -> Tree | Fault:
    """The query of these tokens, or the first fault that a parser or the walk finds.

    The parse tree has no lines: what the walk refuses is said to stand where the query begins."""
    start = next((token.line for token in tokens if token.text.upper() == "SELECT"), None)
    text = "".join(f"<{_DUMMY}{token.bare}>" if token.kind == "parameter" else _body(token) for token in tokens)
    fault = _oxigraph_verdict(text)
    if fault is not None:
        return fault
    try:
        return _rdflib_verdict(text, _Walk(prefixes))
    except _Refused as refused:
        return Fault(refused.line or start, str(refused), refused.remedy)
    except RecursionError:
        return Fault(start, "the query is nested too deep", "use fewer braces and brackets")


def _body(token: Token) -> str:
    return "" if token.kind == "comment" else token.text


def _oxigraph_verdict(text: str) -> Fault | None:
    import pyoxigraph

    try:
        pyoxigraph.Store().query(text)
    except (SyntaxError, ValueError, RuntimeError, OSError) as error:
        place = re.search(r"at (\d+):(\d+):", str(error))
        if place is None:
            return Fault(None, f"is refused: {str(error).splitlines()[0][:90]}", "correct the SPARQL")
        return _unparsed(text, int(place.group(1)), int(place.group(2)))
    return None


def _unparsed(text: str, line: int, column: int) -> Fault:
    rest = text.split("\n")[line - 1][column - 1 :].split()
    shown = f"at {rest[0]!r}" if rest else "at the end of the line"
    return Fault(line, f"does not parse {shown}", "something is missing or superfluous there")


def _rdflib_verdict(text: str, walk: _Walk) -> Tree:
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import parseQuery

    quieten()  # a literal that has no value is only compared with what never equals it
    try:
        parsed = parseQuery(text)
    except ParseBaseException as error:
        raise _Refused(f"does not parse: {error.msg}", "correct the SPARQL there", error.lineno) from error
    query = parsed[1]
    if query.name != "SelectQuery":
        raise _Refused(f"{query.name} is not allowed", "a template is one SELECT query")
    tree = walk.query(query)
    try:
        translateQuery(parsed)
    except Exception as error:  # rdflib raises bare Exceptions for faults of scope
        raise _Refused(f"the query is not valid: {error}", "correct the SPARQL") from error
    return tree


_CALLS = {
    "Builtin_" + name: arguments
    for name, arguments in {
        **dict.fromkeys(("BOUND", "LANG", "DATATYPE", "STR", "YEAR"), ("arg",)),
        **dict.fromkeys(("LANGMATCHES", "CONTAINS", "STRSTARTS"), ("arg1", "arg2")),
    }.items()
}
_NESTS = ("Builtin_EXISTS", "Builtin_NOTEXISTS")
_WRAPPERS = ("ConditionalOrExpression", "ConditionalAndExpression", "RelationalExpression")
_SUMS = ("AdditiveExpression", "MultiplicativeExpression")


class _Walk:
    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes

    def query(self, node: Any) -> Tree:
        self._only(node, "modifier", "projection", "where", "orderby")
        if _part(node, "modifier") not in (None, "DISTINCT"):
            raise _Refused(f"SELECT {node['modifier']} is not allowed", "write DISTINCT or nothing")
        selected = []
        for item in _part(node, "projection") or ():
            self._only(item, "var")
            selected.append(str(item["var"]))
        order = []
        for condition in node["orderby"]["condition"]:
            names = [place for place in self._expression(condition["expr"])[0] if place.sign == "?"]
            if len(names) != 1 or not self._plain(condition["expr"]):
                raise _Refused("ORDER BY takes plain variables only", "write ?variable or DESC(?variable)")
            order.append((names[0].name, _part(condition, "order") == "DESC"))
        return Tree(tuple(selected), self.group(node["where"]), tuple(order))

    def group(self, node: Any) -> Group:
        if node.name != "GroupGraphPatternSub":
            raise _Refused(f"{node.name} is not allowed here", "write its patterns in these braces")
        self._only(node, "part")
        patterns: list[Pattern] = []
        unions: list[tuple[Group, ...]] = []
        optionals: list[Group] = []
        minuses: list[Group] = []
        conditions: list[Condition] = []
        for part in _part(node, "part") or ():
            if part.name in ("TriplesBlock", "GroupOrUnionGraphPattern") and (optionals or minuses):
                raise _Refused("a required pattern stands after OPTIONAL or MINUS", "write what is required first")
            match part.name:
                case "TriplesBlock":
                    self._only(part, "triples")
                    patterns += [p for triples in part["triples"] for p in self._patterns(list(triples))]
                case "GroupOrUnionGraphPattern":
                    branches = tuple(self.group(branch) for branch in part["graph"])
                    if len(branches) == 1 and not branches[0].conditions:
                        raise _Refused("braces without OPTIONAL, UNION or MINUS", "write the patterns without them")
                    unions.append(branches)
                case "OptionalGraphPattern":
                    optionals.append(self.group(part["graph"]))
                case "MinusGraphPattern":
                    minuses.append(self.group(part["graph"]))
                case "Filter":
                    conditions.append(Condition(*self._expression(part["expr"])))
                case _:
                    raise _Refused(f"{part.name} is not allowed in a template", "see the template language in the docs")
        return Group(tuple(patterns), tuple(unions), tuple(optionals), tuple(minuses), tuple(conditions))

    def _patterns(self, flat: list[Any]) -> list[Pattern]:
        if len(flat) % 3:
            raise _Refused("a triple pattern is incomplete", "write subject, predicate and object")
        return [
            Pattern(self._place(flat[at]), self._place(self._property(flat[at + 1])), self._place(flat[at + 2]))
            for at in range(0, len(flat), 3)
        ]

    def _property(self, node: Any) -> Any:
        """The one property in rdflib's wrapping of a path; every longer path is refused."""
        for name in ("PathAlternative", "PathSequence", "PathElt"):
            if getattr(node, "name", None) != name:
                break
            self._only(node, "part")
            parts = list(node["part"]) if _is_list(node["part"]) else [node["part"]]
            if len(parts) != 1:
                raise _Refused("a property path is not allowed", "name the node in the middle, so it can be cited")
            node = parts[0]
        return node

    def _place(self, node: Any) -> Place:
        from rdflib import BNode, URIRef, Variable
        from rdflib import Literal as RdflibLiteral

        if isinstance(node, Variable):
            return Name("?", str(node))
        if isinstance(node, URIRef):
            iri = str(node)
            return Name("$", iri.removeprefix(_DUMMY)) if iri.startswith(_DUMMY) else Iri(iri)
        if isinstance(node, RdflibLiteral):
            return Literal(str(node), str(node.datatype or XSD_STRING), node.language or "")
        if isinstance(node, BNode):
            raise _Refused("a blank node or list is not allowed", "give the node a ?variable, so that it can be cited")
        match getattr(node, "name", None):
            case "pname":
                local = re.sub(r"\\(.)", r"\1", str(_part(node, "localname") or ""))
                return Iri(self._prefixes[str(_part(node, "prefix") or "")] + local)
            case "literal":
                self._only(node, "string", "lang", "datatype")
                if _part(node, "lang"):
                    return Literal(str(node["string"]), _LANG_STRING, str(node["lang"]))
                datatype = self._place(node["datatype"]) if _part(node, "datatype") is not None else Iri(XSD_STRING)
                return Literal(str(node["string"]), datatype.value if isinstance(datatype, Iri) else XSD_STRING)
        raise _Refused(f"{getattr(node, 'name', node)} is not allowed here", "write variables, entities and literals")

    def _expression(self, node: Any) -> tuple[frozenset[Name], tuple[Group, ...]]:
        """The names and EXISTS groups of a FILTER expression."""
        name = getattr(node, "name", None)
        if name in _NESTS:
            return frozenset(), (self.group(node["graph"]),)
        if name in _CALLS:
            self._only(node, *_CALLS[name])
            return self._merged(node[argument] for argument in _CALLS[name])
        if name in ("UnaryNot", "UnaryMinus"):
            return self._expression(node["expr"])
        if name in _SUMS and _part(node, "op"):
            raise _Refused("arithmetic is not allowed in a template", "compute in the telling")
        if name in _WRAPPERS or name in _SUMS:
            self._only(node, "expr", "op", "other")
            other = _part(node, "other")
            if other is None:
                return self._expression(node["expr"])
            return self._merged([node["expr"], *(other if _is_list(other) else [other])])
        place = self._place(node)
        return (frozenset({place}) if isinstance(place, Name) else frozenset()), ()

    def _merged(self, nodes: Iterable[Any]) -> tuple[frozenset[Name], tuple[Group, ...]]:
        found = [self._expression(node) for node in nodes]
        return frozenset().union(*(names for names, _ in found)), tuple(g for _, groups in found for g in groups)

    def _plain(self, node: Any) -> bool:
        while getattr(node, "name", None) in (*_WRAPPERS, *_SUMS) and _part(node, "other") is None:
            node = node["expr"]
        return getattr(node, "name", None) is None

    def _only(self, node: Any, *keys: str) -> None:
        """Refuses a node that has a part of which this walk knows nothing."""
        for key, value in node.items():
            if key not in keys and value is not None:
                raise _Refused(f"{key} is not allowed in a template", "see the template language in the docs")


def _part(node: Any, key: str) -> Any:
    """A part of a parse node, or None (its own `get` answers an absent key with the key)."""
    if key not in node:
        return None
    return node[key]


def _is_list(node: Any) -> bool:
    return isinstance(node, list) or type(node).__name__ == "ParseResults"
