"""One evidence pack from the packs of a beat's questions."""

from __future__ import annotations

from collections.abc import Iterable

from graph_tools.evidence import EvidencePack


def merged(packs: Iterable[EvidencePack]) -> EvidencePack:
    """Several packs as one, ids numbered anew in order, each snippet once. Raises ValueError where there is none."""
    all_packs = list(packs)
    if not all_packs:
        raise ValueError("a beat has at least one question")
    factlets = [factlet for pack in all_packs for factlet in pack.factlets]
    by_id = {snippet.snippet: snippet for pack in reversed(all_packs) for snippet in pack.snippets}
    snippets = [by_id[id_] for id_ in dict.fromkeys(s.snippet for pack in all_packs for s in pack.snippets)]
    return EvidencePack(
        questions=tuple(question for pack in all_packs for question in pack.questions),
        factlets=tuple(f.model_copy(update={"id": f"f{n}"}) for n, f in enumerate(factlets, start=1)),
        snippets=tuple(s.model_copy(update={"id": f"s{n}"}) for n, s in enumerate(snippets, start=1)),
        kg_digest=all_packs[0].kg_digest,
    )
