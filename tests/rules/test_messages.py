"""The referee's sentences: complete in every language, with number and reason, and natural to say aloud."""

from __future__ import annotations

import gettext
import io
import re
import subprocess
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from rules import phrases
from rules.catalog import LANGUAGES, PLURAL_FORMS, catalog, compiled, keys, parse_po, po_text
from rules.errors import RulesError
from rules.events import (
    AlertKind,
    AlertLine,
    CarsLine,
    CorrectionFact,
    Crossing,
    CrossingReason,
    EndLine,
    Fault,
    FaultRule,
    Material,
    OutLine,
    PenaltyLine,
    RulingLine,
    SaidFact,
    SameType,
    Score,
    ScoreLine,
    Side,
    SupplyLine,
)
from rules.messages import messages
from rules.phrases import Named, Plural
from rules.telling import describe

LOCALE = Path(phrases.__file__).parent / "locale"
OWNERS = {"c9": "pink", "r5": "pink", "r2": "blue", "r7": "green"}


def po(language: str) -> str:
    return (LOCALE / LANGUAGES[language] / "LC_MESSAGES" / "th_vision.po").read_text(encoding="utf-8")


def ruling(*, faults: tuple[Fault, ...] = (), crossings: tuple[Crossing, ...] = (), **more: object) -> RulingLine:
    calls = {fault.call for fault in faults if not fault.warning}
    call = "fault" if "fault" in calls else "too_close" if "too_close" in calls else "legal"
    data = {"turn": 1, "player": "blue", "road": "r3", "call": call, **more}
    return RulingLine(**data, faults=faults, crossings=crossings)  # type: ignore[arg-type]  # keys given by the test


def crossing(road: str = "r5", owner: str = "pink", **more: object) -> Crossing:
    data = {"side": "over", "gap": 8.1, "sigma": 0.7, "at": (50.0, 3.0), "pays": True, "reason": "first", **more}
    return Crossing(road=road, owner=owner, **data)  # type: ignore[arg-type]  # keys given by the test


def said(answer: object, language: str = "en") -> list[str]:
    return [str(m) for m in messages(answer, language=language, owners=OWNERS)]  # type: ignore[arg-type]


# --- Catalogues ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_its_translation(language: str) -> None:
    entries = parse_po(po(language))
    missing = []
    for key in keys():
        if isinstance(key, Plural):
            name = f"{key.one}\0{key.many}"
            forms = 1 if language == "zh-Hant" else 2
            if entries.get(name, "").count("\0") != forms - 1 or "" in entries.get(name, "").split("\0"):
                missing.append(name)
        else:
            name = f"{key.context}\4{key.text}" if isinstance(key, Named) else key
            if not entries.get(name):
                missing.append(name)
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_file_is_what_the_tool_writes(language: str) -> None:
    assert po(language) == po_text(language, parse_po(po(language))), "run: python -m rules.catalog"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_names_the_same_places_as_the_english(language: str) -> None:
    def places(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None} - {"n"}

    for key, translation in parse_po(po(language)).items():
        for form in translation.split("\0"):
            if key:
                assert places(form) == places(key.split("\4")[-1].split("\0")[-1]), (key, form)


@pytest.mark.parametrize("language", LANGUAGES)
def test_gettexts_own_compiler_agrees_with_the_loader(language: str, tmp_path: Path) -> None:
    path = LOCALE / LANGUAGES[language] / "LC_MESSAGES" / "th_vision.po"
    target = tmp_path / "th_vision.mo"
    try:
        subprocess.run(["msgfmt", "--check", "-o", str(target), str(path)], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs gettext's msgfmt")
    with open(target, "rb") as stream:
        theirs = gettext.GNUTranslations(stream)
    ours = gettext.GNUTranslations(io.BytesIO(compiled(parse_po(po(language)))))
    for key in keys():
        if isinstance(key, Plural):
            for n in (0, 1, 2, 5):
                assert ours.ngettext(key.one, key.many, n) == theirs.ngettext(key.one, key.many, n)
        elif isinstance(key, Named):
            assert ours.pgettext(key.context, key.text) == theirs.pgettext(key.context, key.text)
        else:
            assert ours.gettext(key) == theirs.gettext(key)


def test_the_plural_rule_of_each_file_is_that_of_its_language() -> None:
    for language, rule in PLURAL_FORMS.items():
        assert f"Plural-Forms: {rule}" in po(language)


def test_a_fuzzy_translation_is_not_said() -> None:
    assert parse_po('#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d"\n') == {"c": "d"}


def test_a_damaged_catalogue_names_its_line() -> None:
    with pytest.raises(RulesError, match="line 2"):
        parse_po('msgid "a"\nmsgstr b\n')


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RulesError, match="known: en, es, nl, zh-Hant"):
        catalog("fr")


def test_every_rule_reason_and_alert_has_words() -> None:
    assert set(phrases.FAULTS) == set(get_args(FaultRule))
    assert set(phrases.ALERTS) == set(get_args(AlertKind))
    assert set(phrases.CROSSINGS) == {(r, s) for r in get_args(CrossingReason) for s in get_args(Side)}
    assert set(phrases.MISSIONS) | {"total"} == set(Score.model_fields)


# --- Sentences -----------------------------------------------------------------------------------------------------


def test_the_first_to_cross_is_said_with_its_gap_after() -> None:
    assert said(ruling(crossings=(crossing(),), cars_due=1)) == [
        "Blue crosses over pink's road r5, the first to do so: one car. (gap 8.1 ± 0.7 mm)"
    ]


def test_too_close_to_call_asks_and_says_where_to_look() -> None:
    fault = Fault(rule="column-covered", call="too_close", value=0.4, sigma=0.9, with_=("c9",))
    assert said(ruling(faults=(fault,))) == [
        "Too close to call: does blue's road cover pink's column c9? "
        "It measures 0.4 ± 0.9 mm; look from above and decide."
    ]


def test_not_the_first_names_the_road_that_was_there_before() -> None:
    not_first = crossing(road="r7", owner="green", side="under", pays=False, reason="side-taken", taken_by="r2")
    assert said(ruling(crossings=(not_first,))) == [
        "Blue passes under green's road r7, but not as the first: no car. "
        "(gap 8.1 ± 0.7 mm; blue's road r2 was there before)"
    ]


def test_a_crossing_that_pays_all_the_same_is_said_to_pay() -> None:
    """The players decided that it pays, or a switch lets it: the reason against it is no longer told."""
    paid = crossing(reason="side-taken", pays=True)
    assert said(ruling(crossings=(paid,), cars_due=1))[0].startswith("Blue crosses over pink's road r5: one car.")
    unpaid = crossing(reason="first", pays=False, side="under")
    assert said(ruling(crossings=(unpaid,)))[0].startswith("Blue passes under pink's road r5: no car.")


def test_two_cars_are_summed_up() -> None:
    two = (crossing(), crossing(road="r7", owner="green", side="under"))
    assert said(ruling(crossings=two, cars_due=2))[-1] == "In all, 2 cars for blue."
    assert said(ruling(crossings=two, cars_due=0, by="players"))[-1] == "In all, no car for blue."


def test_an_offramp_over_a_road_gets_its_bonus_and_the_sum() -> None:
    assert said(ruling(crossings=(crossing(),), cars_due=2, offramp_bonus=True))[1:] == [
        "Blue builds an offramp: one car.",
        "In all, 2 cars for blue.",
    ]


def test_who_has_fewer_cars_left_than_reasons_hears_why() -> None:
    two = (crossing(), crossing(road="r7", owner="green", side="under"))
    assert said(ruling(crossings=two, cars_due=1))[-1] == "Blue has only one car left to place."
    assert said(ruling(crossings=two, cars_due=0))[-1] == "Blue has no car left to place."


def test_a_fault_comes_first_and_nothing_is_promised_for_the_crossings() -> None:
    fault = Fault(rule="touch-road", call="fault", value=-0.5, sigma=0.1, with_=("r5",))
    assert said(ruling(faults=(fault,), crossings=(crossing(),), cars_due=1)) == [
        "Fault: blue's road touches pink's road r5. (measured -0.5 ± 0.1 mm, limit 0 mm)"
    ]


def test_all_faults_are_said() -> None:
    faults = tuple(
        Fault(rule=rule, call="fault", value=2, with_=("c9",)) for rule in ("column-covered", "touch-column")
    )
    assert len(said(ruling(faults=faults))) == 2  # type: ignore[arg-type]


def test_a_plain_legal_move_is_said_to_be_legal() -> None:
    assert said(ruling()) == ["Blue's road r3 is legal."]


def test_a_warning_is_no_fault() -> None:
    warning = Fault(rule="ramp-distance", call="fault", value=80, limit=114, warning=True)
    (first, second) = messages(ruling(faults=(warning,), turn=0), owners=OWNERS)
    assert str(second).startswith("Careful: the starting columns are not one road-stick apart.")
    assert (first.kind, second.kind) == ("legal", "info")


def test_a_value_next_to_its_limit_is_not_rounded_onto_it() -> None:
    fault = Fault(rule="overhang", call="fault", value=0.04, with_=("c9",))
    assert "measured 0.04 mm, limit 0 mm" in said(ruling(faults=(fault,)))[0]


def test_what_the_players_decided_is_said_to_be_theirs() -> None:
    assert said(ruling(by="players")) == ["The players have decided on road r3.", "Blue's road r3 is legal."]


def test_the_chance_that_is_gone() -> None:
    line = CarsLine(turn=1, player="blue", due=2, placed=0, call="legal")
    assert said(line) == ["Blue has not placed 2 cars that are due; once the next player builds, the chance is gone."]


def test_nothing_due_and_nothing_placed_needs_no_word() -> None:
    assert said(CarsLine(turn=1, player="blue", due=0, placed=0, call="legal")) == []


def test_same_type_with_and_without_a_disc_to_give() -> None:
    def line(discs: int) -> CarsLine:
        same = SameType(from_="pink", discs=discs, car_type="highway_bus")
        return CarsLine(turn=1, player="blue", due=1, placed=1, call="legal", same_type=(same,))

    assert "Blue takes one disc from pink" in said(line(1))[1]
    assert "pink has no disc to give" in said(line(0))[1]


def test_a_penalty_in_singular_and_plural() -> None:
    def line(discs: int) -> PenaltyLine:
        return PenaltyLine(turn=2, from_="blue", to="pink", discs=discs, pieces=("r5", "k1"))

    assert said(line(1)) == ["Blue knocked down pieces of pink and hands over one disc. (pieces: r5 and k1)"]
    assert said(line(5), "es") == ["Azul ha dejado caer piezas de rosa y le entrega 5 cilindros. (piezas: r5 y k1)"]


def test_the_end_names_the_winner_and_the_places() -> None:
    line = EndLine(ranking=(("blue", "pink"), ("green",)), reason="all-cars-placed")
    assert said(line) == ["The game is over: blue and pink share the first place. (all cars are placed, 3. green)"]


def test_colours_are_words_of_the_language_and_other_names_stay() -> None:
    assert said(OutLine(turn=1, player="blue", reason="?"), "nl") == ["Blauw ligt eruit."]
    assert said(OutLine(turn=1, player="Ana", reason="?"), "zh-Hant") == ["Ana出局。"]


def test_counts_have_their_plural() -> None:
    def line(held: float, unit: str) -> list[str]:
        return said(ruling(faults=(Fault(rule="supply", call="fault", value=held, unit=unit),), road=None))

    assert line(1, "discs") == ["Fault: blue still has material and must build. (one disc)"]
    assert line(2, "gray discs") == ["Fault: blue has not enough material for this move. (2 gray discs, allowed 0)"]


EVERY_ANSWER = [
    *(
        ruling(faults=(Fault(rule=rule, call=call, value=1.5, sigma=1, with_=("c9", "r5")),))
        for rule in get_args(FaultRule)
        for call in ("fault", "too_close")
    ),
    *(
        ruling(crossings=(crossing(side=side, reason=reason, call=call, pays=pays),))
        for reason in get_args(CrossingReason)
        for side in get_args(Side)
        for call in ("clear", "too_close")
        for pays in (True, False)
    ),
    ruling(offramp_bonus=True, cars_due=1),
    ruling(road=None, object="d1", turn=0),
    CarsLine(turn=1, player="blue", due=2, placed=1, call="fault"),
    CarsLine(turn=1, player="blue", due=1, placed=2, call="fault"),
    CarsLine(turn=1, player="blue", due=1, placed=1, call="too_close"),
    PenaltyLine(turn=2, from_="blue", to="pink", discs=0),
    PenaltyLine(turn=2, from_="blue", to="blue", discs=0),
    PenaltyLine(turn=2, from_="blue", to="pink", discs=1, call="too_close", value=3.2, sigma=0.4, limit=3),
    PenaltyLine(turn=2, from_="blue", to="pink", discs=2, value=5, sigma=0.4, limit=3),
    SupplyLine(turn=1, players={"blue": Material(gray=1, yellow=2, sticks=3, cars=1)}),
    ScoreLine(turn=1, players={"blue": Score(drive=1, stock=6, total=7), "pink": Score()}),
    OutLine(turn=9, player="pink", reason="no-material"),
    OutLine(turn=9, player="pink", reason="all-cars-placed"),
    *(EndLine(ranking=(("blue",), ("pink", "green")), reason=reason) for reason in phrases.END_REASONS),
    EndLine(ranking=(), reason="no-material"),
    *(AlertLine(kind=kind, value=4.2, pieces=("r5",)) for kind in get_args(AlertKind)),
    *(AlertLine(kind=kind) for kind in get_args(AlertKind)),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_answer_is_a_whole_sentence_in_every_language(language: str) -> None:
    for answer in EVERY_ANSWER:
        sentences = messages(answer, language=language, owners=OWNERS)
        assert sentences
        for message in sentences:
            assert message.text[-1] in ".?。？", message  # noqa: RUF001 - full-width marks end a Chinese sentence
            assert message.text[0] == message.text[0].upper()
            assert not re.search(r"[{}]|None", str(message)), message


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_no_sentence_stays_english(language: str) -> None:
    for answer in EVERY_ANSWER:
        english = said(answer)
        assert not set(said(answer, language)) & set(english)


@pytest.mark.parametrize(
    ("language", "them"), [("en", "the players"), ("es", "los jugadores"), ("nl", "de spelers"), ("zh-Hant", "玩家")]
)
def test_what_all_players_correct_or_say_is_theirs_in_the_language(language: str, them: str) -> None:
    corrected = CorrectionFact(turn=3, ruling="k3", set={"discs": 2})
    assert them in describe(corrected, language=language)
    assert them.lower() in describe(SaidFact(turn=3, words="next"), language=language).lower()
    assert them not in describe(CorrectionFact(turn=3, ruling="k3", set={"discs": 2}, by="pink"), language=language)


def test_a_fault_that_the_players_found_has_no_measure_and_names_no_piece() -> None:
    said = [str(m) for m in messages(ruling(faults=(Fault(rule="touch-road", call="fault"),)), owners=OWNERS)]
    (fault,) = (text for text in said if "touches" in text)
    assert fault.endswith("road touches a piece.")
