"""The evidence gate at the service's door: is a sentence proved by the evidence that it cites?

The linguistic core is `graph_tools.grounding`; here a sentence meets the pack of evidence of its beat.
"""

from __future__ import annotations

from agent.story import Sentence
from graph_tools.evidence import EvidencePack
from graph_tools.grounding import Gate, Reason, Verdict, complete_in

__all__ = ["Gate", "Reason", "Verdict", "check"]


def check(sentence: Sentence, evidence: EvidencePack, gate: Gate) -> Verdict:
    """Whether the evidence that the sentence cites proves it; an id that the evidence does not hold proves nothing.

    Evidence of the beat that the sentence does not cite plays no part, except that it shows whether all rows of an
    answer are cited.
    """
    known = {factlet.id for factlet in evidence.factlets} | {snippet.id for snippet in evidence.snippets}
    strange = [id_ for id_ in sentence.evidence if id_ not in known]
    if strange:
        detail = f"the evidence has no {', '.join(strange)}"
        return Verdict("unproved", (Reason("evidence", "", detail),))
    factlets = tuple(factlet for factlet in evidence.factlets if factlet.id in sentence.evidence)
    snippets = tuple(snippet for snippet in evidence.snippets if snippet.id in sentence.evidence)
    return gate.check(sentence.text, factlets, snippets, complete=complete_in(evidence, sentence.evidence))
