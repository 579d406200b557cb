"""A narrator that words beats by a language model: any that speaks LangChain's chat-model interface.

The facts of a beat are chosen and worded from the content files first. The model rewords them in one call; each of its
sentences is shown only where the gate proves it from the facts that it cites. One that is not proved is asked for once
more, with the offending words named; what is then still open is told in the museum's own wording. So a beat is told
whatever the model does, and the model can change its words alone.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from random import Random

from agent.assembling import Proved, assemble, fitting, left_out
from agent.errors import NarrationError
from agent.gates import Grounding
from agent.generation import Outline, digest
from agent.model_line import ModelLine
from agent.narrator import UNBOUNDED, Brief, Scene, Telling, TemplateNarrator
from agent.prompting import Fault, repair, task
from agent.reply import Reply
from agent.side_loop import SideLoop
from agent.story import NarratorCard
from graph_tools.evidence import Factlet
from graph_tools.grounding import complete_in

log = logging.getLogger(__name__)

TRIES = 2
"""Answers that are asked for: the first one, and one repair."""


class ChatModelNarrator:
    """Words outlines as `TemplateNarrator` does, then lets a model reword what was chosen."""

    def __init__(self, line: ModelLine, grounding: Grounding, *, seconds: float) -> None:
        """`seconds`: how long rewording a beat may take altogether, whatever happens."""
        self.card = NarratorCard(kind="model", model=line.name)
        self._line = line
        self._grounding = grounding
        self._seconds = seconds
        self._template = TemplateNarrator()
        self._loop = SideLoop("cuestory-model")

    def realise(self, outlines: Sequence[Outline], scene: Scene) -> Telling | None:
        """The best wording from the content files of the best outline that can be worded; None where none can."""
        return self._template.realise(outlines, scene)

    def can_realise(self, outlines: Sequence[Outline], scene: Scene) -> bool:
        """Whether `realise` would find a wording."""
        return self._template.can_realise(outlines, scene)

    def reword(self, telling: Telling, brief: Brief) -> Future[Telling]:
        """The telling in the model's words as far as they are proved; as it was where they are not."""
        return self._loop.submit(self._reword(telling, self._alone(telling, brief), brief))

    def close(self) -> None:
        """Gives up what is under way, and closes the line."""
        self._loop.submit(self._line.close()).result()
        self._loop.close()

    async def _reword(self, telling: Telling, alone: Sequence[Telling | None], brief: Brief) -> Telling:
        started = asyncio.get_running_loop().time()
        try:
            proved = await self._proved(telling, brief, started + self._seconds)
            scene = brief.scene
            worded = assemble(telling, alone, proved, scene.entities, scene.persona) if proved else None
        except Exception as error:  # noqa: BLE001  # the edge of the model's step: whatever is wrong, the beat is told
            # Without its message, which may quote what was sent.
            trace = "".join(traceback.format_tb(error.__traceback__))
            log.error("template wording for %s: %s\n%s", _name(brief), type(error).__name__, trace)
            return telling
        if worded is not None and not scene.least <= sum(len(s.text.split()) for s in worded.sentences) <= scene.most:
            worded = None  # a shorter telling has to be shorter
        if proved and worded is None:
            log.warning("template wording for %s: the proved sentences do not fit together", _name(brief))
        return worded or telling

    async def _proved(self, telling: Telling, brief: Brief, until: float) -> list[Proved]:
        """The proved sentences of the better one of two answers."""
        cited = {f.id: f for message in telling.messages for f in message.saying.factlets}
        most = 3 - (len(telling.sentences) - len(telling.messages))
        messages = task(telling, [*cited.values()], brief, most)
        best: list[Proved] = []
        for _ in range(TRIES):
            left = until - asyncio.get_running_loop().time()
            try:
                answer = await self._line.ask(messages, cited, key=_key(brief), visit=brief.visit, seconds=left)
            except NarrationError as error:
                log.warning("template wording for %s: %s", _name(brief), error)
                break
            proved, faults = self._judged(answer.reply, cited, brief)
            if untold := left_out(telling, [id_ for said in answer.reply.sentences for id_ in said.evidence]):
                faults.append({"fault": "these facts are not told", "facts": untold})
            best = max(best, fitting(telling, proved, brief.scene.entities), key=_reach)
            if not faults:
                break
            log.info("%d faults in an answer for %s", len(faults), _name(brief))
            messages = repair(messages, answer.text, faults)
        return best

    def _judged(self, reply: Reply, cited: dict[str, Factlet], brief: Brief) -> tuple[list[Proved], list[Fault]]:
        """What may be shown of an answer, and what is wrong with the rest."""
        proved: list[Proved] = []
        faults: list[Fault] = []
        longest = brief.scene.persona.max_words
        for at, said in enumerate(reply.sentences):
            text, ids = " ".join(said.text.split()), tuple(dict.fromkeys(said.evidence))
            if len(text.split()) > longest:
                faults.append({"sentence": text[:200], "fault": f"longer than {longest} words"})
                continue
            if digest(text.casefold()) in brief.scene.thread.said:
                faults.append({"sentence": text, "fault": "the listener has heard just this"})
                continue
            found = self._grounding.check(text, [cited[id_] for id_ in ids], complete=complete_in(brief.evidence, ids))
            if found.proved:
                proved.append(Proved(text, ids, at))
            else:
                faults.append({"sentence": text, "words": list(found.words)[:12]})
        return proved, faults

    def _alone(self, telling: Telling, brief: Brief) -> list[Telling | None]:
        """Each message but the first told by itself: it may stand after a sentence that names somebody else."""
        if len(telling.messages) == 1:
            return [None]
        scene = replace(
            brief.scene, links={}, answer=(), hook="", least=0, most=UNBOUNDED, rng=Random(brief.request.seed)
        ).afresh()
        return [None, *(self._template.realise([Outline((message,))], scene) for message in telling.messages[1:])]


def _reach(proved: Sequence[Proved]) -> int:
    """How many facts they tell."""
    return len({id_ for one in proved for id_ in one.evidence})


def _key(brief: Brief) -> tuple[str, ...]:
    """What an answer belongs to besides the words of its prompt."""
    request = brief.request
    asked = [f"{q.cq} {sorted(q.bindings.items())}" for q in brief.evidence.questions]
    who = (request.persona, brief.scene.persona.id, request.length, request.strategy, str(request.seed), request.lang)
    return (*asked, *who, *brief.pack)


def _name(brief: Brief) -> str:
    """A beat in the log: its questions, no fact and no visitor."""
    return " ".join(dict.fromkeys(asked.cq for asked in brief.evidence.questions))
