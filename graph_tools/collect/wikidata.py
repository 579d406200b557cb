"""Wikidata: entity data of the items that our tables name, and SPARQL queries of a recipe.

The document of an item (its kind is what the recipe calls such items) is {requested, id, labels: {language: text},
aliases: {language: [text]}, claims: {property: [value]}, sitelinks: {site: title}}. Of the claims only the best rank is
kept, as the query service's `wdt:` does; a value is text: an item's id, a date at its own precision (1951, 1951-10,
1951-10-05), an amount. The document of a query's row (kind: the query's name) is {variable: text}, items as bare ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from graph_tools.collect.documents import Document, Rows, Web, column_values, ids_of_ours
from graph_tools.collect.recipe import Query, Wikidata
from graph_tools.errors import CollectError
from graph_tools.terms import Literal

_TIME = re.compile(r"\+(\d{4}-\d{2}-\d{2})T")
_PRECISION = {9: len("1951"), 10: len("1951-10"), 11: len("1951-10-05")}
"""Wikidata's number for year, month and day -> how much of the date is known; decades and centuries are left out."""
_ITEM = re.compile(r"https?://www\.wikidata\.org/entity/([QPL]\d+)")
_RESULTS = "application/sparql-results+json"


def lookups(service: Wikidata, web: Web, rows: Rows) -> Iterator[Document]:
    """A document for each item that our tables name, then the rows of each query.

    Raises ServiceUnavailable, CollectError.
    """
    for kind, id_ in ids_of_ours(rows, service.ours):
        yield _item(service, web, kind, id_)
    for name, query in service.queries.items():
        values = column_values(rows, query.place)
        for start in range(0, len(values), query.batch):
            yield from _rows(service, web, name, query, values[start : start + query.batch])


def _item(service: Wikidata, web: Web, kind: str, id_: str) -> Document:
    answer = web.get(f"{service.entities.rstrip('/')}/{quote(id_)}.json")
    data = None
    if answer.document is not None:
        try:
            entities = answer.document["entities"]
            # An item that was merged into another one comes under that one's id.
            entity = entities.get(id_) or next(iter(entities.values()))
            data = None if "missing" in entity else _plain(entity) | {"requested": id_}
        except (KeyError, TypeError, AttributeError, StopIteration) as error:
            raise CollectError(f"{service.entities} answered for {id_} with JSON that is no item") from error
    return Document("wikidata", kind, data, id_, service.pages.replace("{id}", id_), answer.fetched)


def _plain(entity: dict[str, Any]) -> dict[str, Any]:
    # An empty map is written as [] by some of the service's versions.
    part = {name: entity.get(name) or {} for name in ("labels", "aliases", "claims", "sitelinks")}
    return {
        "id": entity["id"],
        "labels": {language: text["value"] for language, text in part["labels"].items()},
        "aliases": {language: [text["value"] for text in texts] for language, texts in part["aliases"].items()},
        "claims": {name: list(_best(claims)) for name, claims in part["claims"].items()},
        "sitelinks": {site: link["title"] for site, link in part["sitelinks"].items()},
    }


def _best(claims: list[dict[str, Any]]) -> Iterator[str]:
    ranks = {claim.get("rank", "normal") for claim in claims}
    best = "preferred" if "preferred" in ranks else "normal"
    for claim in claims:
        snak = claim["mainsnak"]
        if claim.get("rank", "normal") == best and snak.get("snaktype") == "value":
            value = _value(snak["datavalue"]["value"])
            if value:
                yield value


def _value(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if "time" in value:
        found, known = _TIME.match(value["time"]), _PRECISION.get(value.get("precision"))
        return found[1][:known] if found and known else None
    for key in ("id", "text", "amount"):
        if isinstance(value.get(key), str):
            return str(value[key]).removeprefix("+")
    return None


def _rows(service: Wikidata, web: Web, name: str, query: Query, values: list[str]) -> Iterator[Document]:
    text = query.text.replace("{values}", " ".join(Literal(value).n3() for value in values))
    answer = web.post(service.endpoint, {"query": text}, _RESULTS)
    try:
        for row in answer.document["results"]["bindings"]:
            data = {variable: _bare(term["value"]) for variable, term in row.items()}
            page = service.pages.replace("{id}", data.get("item", ""))
            yield Document("wikidata", name, data, data.get("item", ""), page, answer.fetched)
    except (KeyError, TypeError, AttributeError) as error:
        raise CollectError(
            f"{service.endpoint} answered query {name!r} with JSON that is no table of results"
        ) from error


def _bare(text: str) -> str:
    item = _ITEM.fullmatch(text)
    return item[1] if item else text
