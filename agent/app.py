# mypy: disable-error-code="no-untyped-call"
"""The chat's callbacks. Chainlit loads this file by itself; nothing imports it, and no story is made in it."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Any

import chainlit as cl

from agent import looking
from agent.cards import TOUR_LENGTH, Props, beat_card, lengths, tours, welcome_card
from agent.doorway import visit_key
from agent.errors import NotRecorded, UnknownChoice
from agent.guestbook import digest
from agent.guide import Moment
from agent.listening import understood, understood_first
from agent.offering import SHOWN
from agent.presenter import ChatMessage, displayable, markdown_text, present, present_offer, present_stop
from agent.story import StoryBeat
from agent.tour_visit import Met, on_the_way
from agent.turns import Busy
from agent.wiring import house
from graph_tools.outcome import Routed
from graph_tools.plan import Question, StoryRequest
from graph_tools.terms import Iri

log = logging.getLogger(__name__)

AUTHOR = "Cuestory"
PROMISE = (
    "I tell you only what our records can prove. Every sentence carries a number: "
    "press it below to see the facts, and where they come from."
)
PASSED = "That choice has passed. Please use the newest ones; write anything to see them again."
ONE_MOMENT = "One moment, please: your last choice is still being answered."
TROUBLE = "Something went wrong on our side. Your tour is kept: please choose again, or write anything to go on."
BACK_AT = "We are back here, and the story starts again from this part. The way you took before stays in the menu."
FROM_HERE = "Very well: what comes next is told that way. Where shall we go?"
RESTORED = "Connection restored. Where shall we go?"
FAREWELL = "That is the end of the tour. Thank you for coming along. Would you like another one?"

Callback = Callable[..., Awaitable[None]]


def calmly(callback: Callback) -> Callback:
    """Says what a visitor can do next where a callback fails; the reason goes to the log alone."""

    @wraps(callback)
    async def guarded(*args: Any, **named: Any) -> None:
        try:
            await callback(*args, **named)
        except UnknownChoice:
            await say(PASSED)
        except Busy:
            await say(ONE_MOMENT)
        except NotRecorded:  # the service log has said so
            await say(TROUBLE)
        except Exception:  # the outermost edge of a visit
            log.exception("visit %s failed in %s", visit_id(), callback.__name__)
            await say(TROUBLE)
        finally:
            cl.chat_context.clear()  # kept for editing, which is off: it would grow with every message

    return guarded


@cl.on_chat_start
@calmly
async def arrive() -> None:
    """Welcomes a new page; a page that lost the server goes on where it was."""
    visit = visit_id()
    async with house().turns.of(visit, wait=True):
        arrival = await house().guests.arrive(digest(session_id()), visit, time.time())
        moment = await house().guide.recall(visit)
        if arrival == "inside" and moment is not None:
            await go_on(RESTORED, moment)
        elif arrival == "new":
            await welcome(moment)
        else:
            await say(RESTORED, "WelcomeCard", new_welcome_card(heard(moment)))


@cl.action_callback("begin")
@calmly
async def begin(action: cl.Action) -> None:
    """Starts the story or the tour that was chosen on a welcome card. Each card is good once."""
    visit, pack = visit_id(), house().guide.ctx.pack
    async with house().turns.of(visit, wait=False):
        use_ticket(action)
        persona, length, tour = given(action, "persona"), given(action, "length"), given(action, "tour")
        length = TOUR_LENGTH if tour else length
        if persona not in pack.personas or (
            tour not in tours(pack, persona) if tour else length not in lengths(pack, persona)
        ):
            raise UnknownChoice("no such persona, length or tour")
        await set_out(visit, asked_of(action, persona, length), tour=tour)


@cl.action_callback("ask")
@calmly
async def ask(action: cl.Action) -> None:
    """Answers a question that a welcome card laid out, as the beginning of a story; or notes who will ask."""
    visit = visit_id()
    async with house().turns.of(visit, wait=False):
        persona, choice = given(action, "persona") or asker(), given(action, "choice")
        if persona not in house().guide.ctx.pack.personas:
            raise UnknownChoice("no such persona")
        if not choice:
            cl.user_session.set("asker", persona)
            return
        use_ticket(action)
        near: dict[str, str] = cl.user_session.get("near") or {}
        if choice not in near:
            raise UnknownChoice("no such question")
        await set_out(
            visit, asked_of(action, asker(), lengths(house().guide.ctx.pack, asker())[0]), question=near[choice]
        )


@cl.action_callback("resume")
@calmly
async def resume(action: cl.Action) -> None:
    """Shows the told beats of an earlier page again, and offers on."""
    visit = visit_id()
    async with house().turns.of(visit, wait=False):
        use_ticket(action)
        moment = await house().guide.recall(visit)
        if moment is None:
            raise UnknownChoice("nothing to continue")
        await house().guests.go_in(digest(session_id()))
        cl.user_session.set("asker", None)
        await tell(moment, whole=True)


@cl.action_callback("choose")
@calmly
async def choose(action: cl.Action) -> None:
    """Tells what was chosen, or goes back to it, if it is on offer now."""
    visit = visit_id()
    async with house().turns.of(visit, wait=False):
        moment = await house().guide.choose(visit, given(action, "interrupt"), given(action, "choice"))
        if moment.offer is None:
            await farewell()
        elif moment.turn.strategy:
            await go_on(FROM_HERE, moment)
        elif moment.turn.kind == "offer":
            heading = markdown_text(displayable(moment.tree.node(moment.at).heading))
            await go_on(f"*Back again*\n\n## {heading}\n\n{BACK_AT}", moment)
        else:
            await tell(moment)


@cl.action_callback("look")
@calmly
async def look(action: cl.Action) -> None:
    """Shows what was heard, or the day on the clock, and the same choices again."""
    visit, ctx = visit_id(), house().guide.ctx
    async with house().turns.of(visit, wait=False):
        moment = await house().guide.recall(visit)
        if moment is None or moment.offer is None:
            raise UnknownChoice("nothing to look at")
        shown = looking.look(given(action, "what"), moment, ctx)
        await go_on(f"## {markdown_text(displayable(shown['title']))}", moment, shown)


@cl.on_message
@calmly
async def listen(message: cl.Message) -> None:
    """Answers a visitor's own words, or says what comes closest. Only an audit log keeps them, where the operator
    chose so; they are repeated nowhere."""
    text, message.content = message.content, ""
    visit, guide = visit_id(), house().guide
    replies = guide.ctx.pack.replies
    async with house().turns.of(visit, wait=True):
        moment = await guide.recall(visit)
        if moment is None or moment.offer is None or cl.user_session.get("asker"):
            await answer_first(visit, text)
            return
        outcome = understood(text, moment, guide.ctx.router())
        if isinstance(outcome, Routed):
            await tell(await guide.ask(visit, moment.interrupt, outcome.question, text))
        else:
            if outcome.nearest:
                moment = await guide.propose(visit, moment.interrupt, outcome.nearest, text)
            await go_on(markdown_text(displayable(replies.reply(outcome))), moment)


async def welcome(moment: Moment | None) -> None:
    """Name, promise, and the choice of persona and length."""
    title = markdown_text(displayable(house().guide.ctx.pack.title))
    await say(f"*{AUTHOR}*\n\n## {title}\n\n{PROMISE}", "WelcomeCard", new_welcome_card(heard(moment)))


async def set_out(visit: str, request: StoryRequest, *, tour: str = "", question: str = "") -> None:
    """Begins a visit and tells its first part."""
    moment = await house().guide.begin(visit, request, tour=tour, question=question)
    await house().guests.go_in(digest(session_id()))
    for name in ("asker", "near", "ticket"):
        cl.user_session.set(name, None)
    await tell(moment)


async def answer_first(visit: str, text: str) -> None:
    """Answers somebody who is in no story yet: the answer begins one. What cannot be answered leads to the closest
    questions, on a welcome card."""
    ctx = house().guide.ctx
    outcome = understood_first(text, asker(), ctx.router())
    if isinstance(outcome, Routed):
        request = story_request(asker(), lengths(ctx.pack, asker())[0])
        await set_out(visit, request, question=outcome.question.key)
    else:
        words = markdown_text(displayable(ctx.pack.replies.reply(outcome)))
        await say(words, "WelcomeCard", new_welcome_card(0, outcome.nearest))


def asker() -> str:
    """The persona that somebody who is in no story asks as: the one chosen on the card, or the pack's first."""
    chosen: str | None = cl.user_session.get("asker")
    return chosen or next(iter(house().guide.ctx.pack.personas))


def asked_of(action: cl.Action, persona: str, length: str) -> StoryRequest:
    """The request of a welcome card. Raises UnknownChoice for a strategy that it does not name."""
    strategies = house().guide.ctx.strategies
    chosen = given(action, "strategy")
    if chosen and chosen not in (strategies or {"kg": ""}):
        raise UnknownChoice("no such strategy")
    return story_request(persona, length, chosen)


def story_request(persona: str, length: str, strategy: str = "") -> StoryRequest:
    """A request with a seed of its own; without a strategy, the first that visitors may choose."""
    chosen = strategy or next(iter(house().guide.ctx.strategies), "kg")
    return StoryRequest.model_validate(
        {"persona": persona, "length": length, "strategy": chosen, "seed": secrets.randbelow(2**31)}
    )


async def go_on(words: str, moment: Moment, look: Props | None = None) -> None:
    """Says the words and shows the choices of this moment again, below what the visitor asked to see."""
    if moment.offer is None:
        await farewell()
    else:
        looks = looking.looks(house().guide.ctx)
        offered, progress = present_offer(moment.offer), how_far(moment)
        props = beat_card(None, offered, moment.interrupt, issued(), progress, looks=looks, look=look)
        await say(words, "BeatCard", props)


async def tell(moment: Moment, *, whole: bool = False) -> None:
    """Shows what was told last, or the whole visit, with the offer under the last of it."""
    met: tuple[tuple[int | None, Met | None], ...]
    if moment.walk is not None:
        met = on_the_way(moment.walk, moment.path)
        met = met if whole or not moment.at_stop else ((moment.walk.here.place, moment.walk.here),)
    else:
        met = tuple((place, None) for place in moment.path)
    shown = met if whole else met[-1:]
    for number, (place, stop) in enumerate(shown, start=1):
        beat = moment.tree.beat(place) if place is not None else None
        if beat is not None:
            await show_steps(beat)
        message = shown_as(moment, place, beat, stop)
        last = number == len(shown)
        offered = present_offer(moment.offer) if last and moment.offer else None
        looks, progress = looking.looks(house().guide.ctx), how_far(moment) if last else ""
        media = looking.pictured(beat, house().guide.ctx) if beat is not None else []
        lang = house().guide.ctx.pack.language
        props = beat_card(message, offered, moment.interrupt, issued(), progress, media=media, lang=lang, looks=looks)
        await say(message.markdown, "BeatCard", props)


def shown_as(moment: Moment, place: int | None, beat: StoryBeat | None, stop: Met | None) -> ChatMessage:
    """A beat, or a stop of the tour with what is told there."""
    pack = house().guide.ctx.pack
    if stop is not None and moment.walk is not None:
        title = pack.tours[moment.walk.tour].title
        return present_stop(title, stop.heading, stop.say, stop.then, beat, name_of)
    assert place is not None
    assert beat is not None
    return present(beat, name_of, pack.arcs.step_names, once_more(moment, place))


def how_far(moment: Moment) -> str:
    """How far the visit has come, in words; "" where it goes on without a plan."""
    progress = moment.progress(house().guide.ctx)
    return progress.words if progress else ""


def once_more(moment: Moment, place: int) -> str:
    """How a beat is told in another way, in a visitor's words; "" where it is told for the first time."""
    manner = moment.tree.node(place).manner
    persona = house().guide.ctx.pack.personas.get(manner)
    return f"Once more, {f'as I tell it to {persona.name}' if persona else manner}" if manner else ""


async def farewell() -> None:
    """The end of a tour, and the way into another."""
    await say(FAREWELL, "WelcomeCard", new_welcome_card(0))


async def show_steps(beat: StoryBeat) -> None:
    """Each question put to the graph as a step, where the operator wants to show them."""
    if house().settings.tool_steps == "on":
        for asked in beat.evidence.questions:
            async with cl.Step(name="answer_cq", type="tool") as step:
                step.input = {"cq": asked.cq, "bindings": asked.bindings}
                step.output = f"{asked.total_rows} rows"


async def say(markdown: str, card: str = "", props: Props | None = None) -> None:
    """One message, and the card under it."""
    elements = []
    if props is not None:
        # The address keeps Chainlit from writing the card to disk: the page reads the props alone.
        elements.append(cl.CustomElement(name=card, props=props, url=f"/public/elements/{card}.jsx"))
    await cl.Message(content=markdown, author=AUTHOR, elements=elements).send()


def heard(moment: Moment | None) -> int:
    """How many beats of a visit can be continued; 0 where there is none, or it has ended."""
    return moment.heard if moment and moment.offer else 0


def new_welcome_card(heard: int, near: Sequence[Question] = ()) -> Props:
    """A welcome card with a ticket of its own; older ones lose theirs. `near`: questions to lay out on it."""
    ticket, near = secrets.token_urlsafe(9), near[:SHOWN]
    cl.user_session.set("ticket", ticket)
    cl.user_session.set("near", {f"q{number}": question.key for number, question in enumerate(near, start=1)})
    questions = [question.question for question in near]
    days = house().settings.keep_days
    return welcome_card(house().guide.ctx, house().portraits, ticket, heard, issued(), questions, keep_days=days)


def use_ticket(action: cl.Action) -> None:
    """Raises UnknownChoice unless the action comes from the newest welcome card, not used yet."""
    ticket = cl.user_session.get("ticket")
    if not ticket or given(action, "ticket") != ticket:
        raise UnknownChoice("that card has passed")
    cl.user_session.set("ticket", None)


def given(action: cl.Action, name: str) -> str:
    """A field of the payload. It comes from the browser: any JSON, or nothing."""
    value = action.payload.get(name)
    return value if isinstance(value, str) else ""


def session_id() -> str:
    """Chainlit's id of this page."""
    return cl.context.session.id


def visit_id() -> str:
    """Names the visit: by the visitor's cookie, or by the page where cookies are blocked."""
    key = visit_key(cl.context.session.environ.get("HTTP_COOKIE", ""))
    return digest(f"cookie {key}" if key else f"page {session_id()}")


def issued() -> int:
    """When a card is shown, in microseconds: later cards have higher numbers, also after a restart."""
    return time.time_ns() // 1000


def name_of(iri: str) -> str | None:
    """The name of an entity of the pack."""
    return house().guide.ctx.pack.entities.name(Iri(iri))
