"""Where lines of words are parted."""

from __future__ import annotations

from th_vision.wrapping import columns, wrapped


def test_words_are_parted_at_spaces() -> None:
    assert wrapped("blue crosses over pink's road", 12) == ["blue crosses", "over pink's", "road"]


def test_chinese_is_parted_between_characters_but_no_line_begins_with_a_comma() -> None:
    text = "\u5f9e\u6b63\u4e0a\u65b9\u770b\uff0c\u7c89\u7d05\u8272\u7684\u9053\u8def"
    lines = wrapped(text, 10)
    assert "".join(lines) == text
    assert len(lines) == 3
    assert all(columns(line) <= 12 for line in lines)
    assert not any(line.startswith("\uff0c") for line in lines)
