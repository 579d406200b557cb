"""Every sentence that can be told, for a curator to sign off."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent import visit
from agent.cli import cli
from agent.context import StoryContext
from agent.sign_off import every_sentence
from graph_tools.errors import UnknownPersona
from graph_tools.pack import StoryPack
from graph_tools.plan import StoryRequest


@pytest.fixture(scope="module")
def observatory(project: Path) -> StoryContext:
    return StoryContext.of(StoryPack.open(project / "tests" / "packs" / "tiny-observatory"))


def test_what_a_story_tells_with_full_names_is_among_the_sentences_to_sign_off(ctx: StoryContext) -> None:
    for persona in ctx.pack.personas:
        listed = {sentence for question in every_sentence(persona, ctx) for sentence in question.sentences}
        told = [
            sentence.text
            for seed in range(4)
            for beat in visit.tell_story(StoryRequest(persona=persona, length="medium", seed=seed), ctx).beats
            for sentence in beat.sentences
        ]
        # The others are joined by a clause, or name by a pronoun or a short name whom they named before.
        assert sum(sentence in listed for sentence in told) > len(told) / 4


def test_each_sentence_stands_once_within_the_personas_length_and_names_no_identifier(
    observatory: StoryContext,
) -> None:
    for persona in observatory.pack.personas.values():
        found = list(every_sentence(persona.id, observatory))
        assert len({question.question.key for question in found}) == len(found) > 2
        for question in found:
            assert len(set(question.sentences)) == len(question.sentences) > 0
            for sentence in question.sentences:
                assert len(sentence.split()) <= persona.max_words
                assert "://" not in sentence


def test_the_command_prints_them_under_their_questions(project: Path, observatory: StoryContext) -> None:
    pack, persona = str(project / "tests" / "packs" / "tiny-observatory"), min(observatory.pack.personas)
    expected = list(every_sentence(persona, observatory))
    command = ["tell", "--all", "--pack", pack, "--persona", persona]
    shown = CliRunner().invoke(cli, command).output
    for question in expected:
        assert "\n".join([f"{question.question.question} ({question.question.cq})", *question.sentences]) in shown
    lines = CliRunner().invoke(cli, [*command, "--json"]).output.splitlines()
    assert [json.loads(line)["sentences"] for line in lines] == [list(question.sentences) for question in expected]
    unknown = CliRunner().invoke(cli, [*command[:-1], "nobody"])
    assert isinstance(unknown.exception, UnknownPersona)
