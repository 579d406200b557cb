# mypy: disable-error-code="no-untyped-call"
"""The chat's callbacks. Chainlit loads this file by itself; nothing imports it, and no story is made in it."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import chainlit as cl

from agent.cards import Props, beat_card, lengths, welcome_card
from agent.doorway import visit_key
from agent.errors import NotRecorded, UnknownChoice
from agent.guestbook import digest
from agent.guide import Moment
from agent.listening import understood
from agent.presenter import displayable, markdown_text, present, present_offer
from agent.story import StoryBeat
from agent.turns import Busy
from agent.wiring import house
from graph_tools.outcome import Refused, Routed
from graph_tools.plan import StoryRequest
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
CHOOSE_FIRST = "Please choose below how you would like the story told."

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
    """Starts the tour that was chosen on a welcome card. Each card is good once."""
    visit, pack = visit_id(), house().guide.ctx.pack
    async with house().turns.of(visit, wait=False):
        use_ticket(action)
        persona, length = given(action, "persona"), given(action, "length")
        if persona not in pack.personas or length not in lengths(pack, persona):
            raise UnknownChoice("no such persona or length")
        chosen = given(action, "strategy") or next(iter(house().guide.ctx.strategies), "kg")
        if chosen not in (house().guide.ctx.strategies or {"kg": ""}):
            raise UnknownChoice("no such strategy")
        request = StoryRequest(persona=persona, length=length, strategy=chosen, seed=secrets.randbelow(2**31))
        moment = await house().guide.begin(visit, request)
        await house().guests.go_in(digest(session_id()))
        await tell(moment)


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
        await tell(moment, beats=moment.told)


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
        if moment is None or moment.offer is None:
            kind = replies.steered(text)
            await say_and_welcome(replies.reply(Refused(kind)) if kind else CHOOSE_FIRST)
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


async def say_and_welcome(words: str) -> None:
    """Says the words to somebody who is on no tour, and shows the way into one."""
    await say(markdown_text(words), "WelcomeCard", new_welcome_card(0))


async def go_on(words: str, moment: Moment) -> None:
    """Says the words and shows the choices of this moment again."""
    if moment.offer is None:
        await farewell()
    else:
        props = beat_card(None, present_offer(moment.offer), moment.interrupt, issued())
        await say(words, "BeatCard", props)


async def tell(moment: Moment, beats: tuple[StoryBeat, ...] | None = None) -> None:
    """Shows the newest beat, or those given, with the offer under the last."""
    shown = (moment.newest,) if beats is None else beats
    places = moment.path[-len(shown) :]
    for place, beat in zip(places, shown, strict=True):
        last = place == places[-1]
        await show_steps(beat)
        message = present(beat, name_of, house().guide.ctx.pack.arcs.step_names, once_more(moment, place))
        offered = present_offer(moment.offer) if last and moment.offer else None
        await say(message.markdown, "BeatCard", beat_card(message, offered, moment.interrupt, issued()))


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


def new_welcome_card(heard: int) -> Props:
    """A welcome card with a ticket of its own; older ones lose theirs."""
    ticket = secrets.token_urlsafe(9)
    cl.user_session.set("ticket", ticket)
    ctx = house().guide.ctx
    return welcome_card(ctx.pack, house().portraits, ctx.strategies, ticket, heard, issued())


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
