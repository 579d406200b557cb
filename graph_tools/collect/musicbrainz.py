"""MusicBrainz's JSON web service (https://musicbrainz.org/doc/MusicBrainz_API), from the seeds of a recipe on.

A document is what the lookup answers, with `requested`. An event has two keys more, read off its `setlist` text
(https://musicbrainz.org/doc/Event/Setlist): `sets`, each {artists: [{id, name}], works: [{id, name}], notes: [text]},
and `songs`, the works of all sets, each {artists, id, name, position in its set}.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import jmespath

from graph_tools.collect.documents import Document, Rows, Web, ids_of_ours
from graph_tools.collect.recipe import MusicBrainz
from graph_tools.errors import CollectError

_LINK = re.compile(r"\[([0-9a-f-]{36})\|([^\]]*)\]")


def lookups(service: MusicBrainz, web: Web, rows: Rows) -> Iterator[Document]:
    """A document for each entity that the seeds lead to or our tables name, each once, nearest to the seeds first.

    Raises ServiceUnavailable, CollectError.
    """
    seeds = [(kind, id_) for kind, ids in service.seeds.items() for id_ in ids]
    waiting = deque(dict.fromkeys([*seeds, *ids_of_ours(rows, service.ours)]))
    seen = set(waiting)
    while waiting:
        if len(seen) > service.most:
            raise CollectError(f"more than {service.most} lookups; narrow `follow` in the recipe, or raise `most`")
        kind, id_ = waiting.popleft()
        document = _lookup(service, web, kind, id_)
        yield document
        for follow in service.follow:
            if follow.kind != kind or document.data is None:
                continue
            for found in jmespath.search(follow.ids, document.data) or ():
                if isinstance(found, str) and (follow.to, found) not in seen:
                    seen.add((follow.to, found))
                    waiting.append((follow.to, found))


def set_list(text: str) -> list[dict[str, Any]]:
    """The sets of an event: `@` lines name who plays, `*` lines what, `#` lines say more."""
    sets: list[dict[str, Any]] = []
    billed = False
    for line in text.splitlines():
        mark, rest = line[:1], line[1:].strip()
        if mark not in ("@", "*", "#") or not rest:
            continue
        if (mark == "@" and not billed) or not sets:
            sets.append({"artists": [], "works": [], "notes": []})
        billed = mark == "@"
        links = [{"id": id_, "name": html.unescape(name).strip()} for id_, name in _LINK.findall(rest)]
        named = links or [{"id": None, "name": html.unescape(rest)}]
        if mark == "#":
            sets[-1]["notes"].append(html.unescape(_LINK.sub(r"\2", rest)))
        else:
            sets[-1]["artists" if mark == "@" else "works"].extend(named)
    return sets


def _lookup(service: MusicBrainz, web: Web, kind: str, id_: str) -> Document:
    asked = {"fmt": "json"}
    if service.include.get(kind):
        asked["inc"] = "+".join(service.include[kind])
    answer = web.get(f"{service.base.rstrip('/')}/{quote(kind)}/{quote(id_)}?{urlencode(asked, safe='+')}")
    page = service.pages.replace("{kind}", kind).replace("{id}", id_)
    data = answer.document
    if data is not None and not (isinstance(data, dict) and isinstance(data.get("id"), str)):
        raise CollectError(f"{service.base} answered for {kind} {id_} with JSON that is no {kind}")
    if data is not None:
        data = data | {"requested": id_}
        if isinstance(data.get("setlist"), str):
            data["sets"] = set_list(data["setlist"])
            data["songs"] = [
                {"artists": part["artists"], "position": position, **work}
                for part in data["sets"]
                for position, work in enumerate(part["works"], start=1)
            ]
    return Document("musicbrainz", kind, data, id_, page, answer.fetched)
