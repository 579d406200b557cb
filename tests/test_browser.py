"""The chat in a real browser: what a visitor sees, presses and opens, and what the page asks of other hosts."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

pytestmark = pytest.mark.e2e


@pytest.fixture
async def browser(browser_path: str, browser_flags: list[str]) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=browser_path, args=browser_flags)
        yield running
        await running.close()


class Visitor:
    """A page that keeps what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._requested(request.url))

    def _requested(self, url: str) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", url):
            self.faults.append(f"asked {url}")

    async def begin(self, address: str, persona: str, length: str) -> None:
        await self.page.goto(address)
        await self.page.get_by_role("button", name=re.compile(persona)).click()
        await self.page.get_by_role("button", name="A story for me").click()
        await self.page.get_by_role("button", name=re.compile(f"^{length}")).click()
        await self.beats(1)

    async def beats(self, number: int) -> None:
        await expect(self.page.get_by_role("group", name="Sources")).to_have_count(number)

    @property
    def choices(self) -> Any:
        return self.page.get_by_role("region", name="What comes next")


async def test_a_visitor_hears_three_beats_opens_a_source_and_sees_the_triple(
    browser: Browser, chat_server: Any
) -> None:
    page = await browser.new_page()
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Emma", "Small")
    for number in (2, 3):
        pill = visitor.choices.get_by_role("button").first
        question = await pill.locator(".cue-ask").inner_text()
        await pill.click()
        await visitor.beats(number)
        await expect(page.get_by_role("heading", name=question)).to_be_visible()
        await expect(visitor.choices).to_have_count(1)
    for always in ("Surprise me", "End the tour"):
        await expect(visitor.choices.get_by_role("button", name=always)).to_be_visible()
    chip = page.get_by_role("group", name="Sources").last.get_by_role("button").first
    await chip.click()
    proof = page.get_by_role("region", name="Proof 1")
    await expect(proof.get_by_text("What our records say")).to_be_visible()
    await expect(proof.get_by_role("link").first).to_have_attribute("href", re.compile("^https?://"))
    await proof.get_by_text("Technical details").click()
    triples = await proof.get_by_label("Triples").inner_text()
    assert re.search(r'^<http\S+> <http\S+> (<http\S+>|".*"\S*) \.$', triples, re.MULTILINE)
    assert "SELECT" in await proof.get_by_label("Query").first.inner_text()
    await chip.click()
    await expect(proof).to_have_count(0)
    assert visitor.faults == []


async def test_a_reload_continues_where_the_visitor_was(browser: Browser, chat_server: Any) -> None:
    page = await browser.new_page()
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Luca", "Medium")
    await visitor.choices.get_by_role("button").nth(1).click()
    await visitor.beats(2)
    heard = await page.get_by_role("heading", level=2).all_inner_texts()
    await page.reload()
    await page.get_by_role("button", name="Continue where you were").click()
    await visitor.beats(2)
    assert await page.get_by_role("heading", level=2).all_inner_texts() == heard
    await expect(visitor.choices).to_have_count(1)
    await visitor.choices.get_by_role("button", name="More questions").click()
    await visitor.choices.get_by_role("group", name="More questions").get_by_role("button").nth(1).click()
    await visitor.beats(3)
    assert visitor.faults == []


async def test_the_page_outlives_a_crash_of_the_server(browser: Browser, chat_server: Any) -> None:
    page = await browser.new_page()
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Emma", "Small")
    chat_server.kill()
    chat_server.start()
    await expect(page.get_by_text("Connection restored.")).to_be_visible(timeout=20_000)
    await expect(page.get_by_text("I tell you only what our records can prove")).to_have_count(1)
    await visitor.choices.get_by_role("button").first.click()
    await visitor.beats(2)


async def test_the_keyboard_is_enough_and_a_screen_reader_hears_what_is_new(browser: Browser, chat_server: Any) -> None:
    page = await browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Emma", "Small")
    log = page.get_by_role("log")
    await expect(log).to_have_attribute("aria-live", "off")
    said = page.locator("#cue-live")
    await expect(said).to_have_attribute("role", "status")
    first = await page.get_by_role("heading", level=2).last.inner_text()
    await expect(said).to_contain_text(first)
    await expect(page.get_by_role("main")).to_have_count(1)
    await expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert (
        await page.locator("button:not([aria-label])").evaluate_all(
            "all => all.filter(one => !one.textContent.trim()).map(one => one.outerHTML)"
        )
        == []
    )
    await visitor.choices.get_by_role("button").first.focus()
    await page.keyboard.press("Enter")
    await visitor.beats(2)
    second = await page.get_by_role("heading", level=2).last.inner_text()
    await expect(said).to_contain_text(second)
    assert first not in await said.inner_text()
    # Whoever pressed the button that is gone goes on at the new card.
    assert await page.evaluate("document.activeElement.classList.contains('cue-card')")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Proof 1")).to_be_visible()
    width = await page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    assert visitor.faults == []


async def test_a_visitor_hears_a_part_again_goes_back_and_asks_in_words(browser: Browser, chat_server: Any) -> None:
    page = await browser.new_page(viewport={"width": 360, "height": 780}, reduced_motion="reduce")
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Emma", "Medium")
    first = await page.get_by_role("heading", level=2).last.inner_text()
    await visitor.choices.get_by_role("button").nth(1).click()
    await visitor.beats(2)
    # By keyboard alone: open the menu, and press what is in it.
    opener = visitor.choices.get_by_role("button", name="Tell it another way")
    await opener.focus()
    await page.keyboard.press("Enter")
    await expect(opener).to_have_attribute("aria-expanded", "true")
    ways = visitor.choices.get_by_role("group", name="Tell it another way").get_by_role("button")
    await ways.filter(has_text="Tell it to Luca").focus()
    await page.keyboard.press("Enter")
    await visitor.beats(3)
    await expect(page.get_by_text("Once more, as I tell it to Luca")).to_be_visible()
    await visitor.choices.get_by_role("button", name="Go back").click()
    await visitor.choices.get_by_role("button", name=f"Back to: {first}").click()
    await expect(page.get_by_text("the story starts again from this part")).to_be_visible()
    await visitor.beats(3)  # what was left stays on the page
    await page.get_by_label("Write a message").fill("When did Queen play?")
    await page.keyboard.press("Enter")
    await visitor.beats(4)
    await expect(page.get_by_role("heading", name="When and where did Queen play?")).to_be_visible()
    await page.get_by_label("Write a message").fill("Who won the World Cup in 1966?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("I can't prove that from our records")).to_be_visible()
    near = visitor.choices.get_by_role("group", name="Near what you asked").get_by_role("button")
    if await near.count():
        question = await near.first.inner_text()
        await near.first.click()
        await visitor.beats(5)
        await expect(page.get_by_role("heading", name=question)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    assert visitor.faults == []


async def enter(page: Page, name: str, *, inside: Any = None) -> None:
    """Presses a button as somebody without a mouse does."""
    button = (inside or page).get_by_role("button", name=re.compile(name)).last
    await button.focus()
    await page.keyboard.press("Enter")


async def test_a_tour_branches_by_keyboard_alone_on_a_phone_and_a_question_leads_back_to_it(
    browser: Browser, chat_server: Any
) -> None:
    page = await browser.new_page(viewport={"width": 360, "height": 780}, reduced_motion="reduce")
    visitor = Visitor(page)
    await page.goto(chat_server.address)
    await expect(page.get_by_text("What is kept: the parts that you hear")).to_be_visible()
    for name in ("^Emma", "A guided tour", "Two stadiums"):
        await enter(page, name)
    await visitor.beats(1)
    await expect(visitor.choices.get_by_text(re.compile("^Stop 1 of .* minutes left$"))).to_be_visible()
    staging = page.get_by_role("blockquote")
    await expect(staging.first).to_contain_text("Stand in the middle of the room")
    told = page.locator(".message-content [role=article]").last
    assert await staging.first.evaluate("one => getComputedStyle(one).fontStyle") == "italic"
    assert await told.evaluate("one => getComputedStyle(one).fontStyle") == "normal"
    await enter(page, "^Go on", inside=visitor.choices)
    await visitor.beats(2)
    ways = visitor.choices.locator(".cue-choices").get_by_role("button")
    labels = await ways.all_inner_texts()
    assert len(labels) == 2
    assert any("Philadelphia" in label for label in labels)
    await page.get_by_label("Write a message").focus()
    await page.keyboard.type("When did Queen play?")
    await page.keyboard.press("Enter")
    await visitor.beats(3)
    assert await ways.all_inner_texts() == labels
    await enter(page, "Philadelphia", inside=visitor.choices)
    await visitor.beats(4)
    await expect(page.get_by_role("heading", level=2).last).to_contain_text("Philadelphia")
    assert await page.evaluate("document.activeElement.classList.contains('cue-card')")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    await page.reload()
    await enter(page, "Continue where you were")
    await visitor.beats(4)
    await expect(visitor.choices.get_by_text(re.compile("^Stop 3 of "))).to_be_visible()
    assert visitor.faults == []


async def test_a_question_comes_before_any_story_and_the_page_shows_how_it_is_known(
    browser: Browser, chat_server: Any
) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    visitor = Visitor(page)
    await page.goto(chat_server.address)
    await page.get_by_role("button", name=re.compile("^Luca")).click()
    await page.get_by_role("button", name="Ask me something").click()
    await expect(page.get_by_label("Write a message")).to_be_focused()
    await page.keyboard.type("When did Queen play?")
    await page.keyboard.press("Enter")
    await visitor.beats(1)
    await page.get_by_role("group", name="Sources").get_by_role("button").first.click()
    proof = page.get_by_role("region", name="Proof 1")
    drawing = proof.get_by_role("img")
    await expect(drawing).to_have_accessible_name(re.compile("Queen at Live Aid, performer, Queen"))
    assert {"Queen", "Wembley Stadium"} <= set(await drawing.locator("text").all_text_contents())
    await proof.get_by_text("Technical details").click()
    triples = await proof.get_by_label("Triples").inner_text()
    assert "http://schema.org/performer" in triples
    if await page.evaluate("'speechSynthesis' in window"):
        await expect(page.get_by_role("button", name="Read aloud")).to_be_visible()
    for look, inside in (
        ("What you have heard", "When and where did Queen play?"),
        ("The day on both", "you are here"),
    ):
        await expect(visitor.choices).to_have_count(1)  # the card before has stood aside
        await visitor.choices.get_by_role("button", name="Look around").click()
        await visitor.choices.get_by_role("button", name=re.compile(look)).click()
        await expect(page.get_by_role("heading", name=re.compile(look))).to_be_visible()
        await expect(page.locator(".cue-look").last.get_by_text(inside).first).to_be_visible()
    assert visitor.faults == []


SMALL = """
all => all.filter(one => one.offsetParent && !one.closest("p, li, [role=article]"))
  .map(one => [one.textContent.slice(0, 40), one.getBoundingClientRect().height, one.getBoundingClientRect().width])
  .filter(([_, height, width]) => height < 24 || width < 24)
"""


@pytest.mark.parametrize("width", [640, 320])
async def test_at_twice_and_four_times_the_size_nothing_is_cut_off_and_all_can_be_hit(
    browser: Browser, chat_server: Any, width: int
) -> None:
    page = await browser.new_page(viewport={"width": width, "height": 450}, reduced_motion="reduce")
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Emma", "Small")
    await page.get_by_role("group", name="Sources").get_by_role("button").first.click()
    for look in ("What you have heard", "The day on both stages"):
        await expect(visitor.choices).to_have_count(1)  # the card before has stood aside
        await visitor.choices.get_by_role("button", name="Look around").click()
        await visitor.choices.get_by_role("button", name=look).click()
        await expect(page.get_by_role("heading", name=look)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await page.locator(".cue-card :is(button, summary, input)").evaluate_all(SMALL) == []


READ = (
    *("h2", ".italic", "[role=article]", ".watermark [role=article]"),
    *(".cue-chip-label", ".cue-number", ".cue-label", ".cue-facts li", ".cue-sources a", ".cue-muted", ".cue-edge"),
    *(".cue-filled", ".cue-outlined", ".cue-quiet", ".cue-tag", ".cue-progress", ".cue-drawing"),
)
CONTRAST = """
([text, ground]) => {
  const channel = (byte) => byte <= 10.3 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number)
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  }
  const [dark, bright] = [light(text), light(ground)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}
"""
GROUND = """
(element) => {
  for (let one = element; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor
    if (!colour.endsWith(", 0)") && colour !== "transparent") return colour
  }
  return getComputedStyle(document.body).backgroundColor
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everything_can_be_read_in_light_and_in_the_dark(browser: Browser, chat_server: Any, scheme: Any) -> None:
    page = await browser.new_page(color_scheme=scheme, reduced_motion="reduce")
    visitor = Visitor(page)
    await visitor.begin(chat_server.address, "Luca", "Small")
    await page.get_by_role("group", name="Sources").get_by_role("button").first.click()
    assert await page.evaluate("document.documentElement.classList.contains('dark')") == (scheme == "dark")
    for selector in READ:
        element = page.locator(selector).last
        text = await element.evaluate("one => getComputedStyle(one).color")
        contrast = await page.evaluate(CONTRAST, [text, await element.evaluate(GROUND)])
        assert contrast >= 4.5, f"{selector}: {contrast:.2f}"
