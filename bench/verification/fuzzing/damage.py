"""Changes of files that know nothing of their format, and changes of texts: what bad disks, editors and spreadsheets do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Random = np.random.Generator
Change = Callable[[bytes, Random], bytes]
MOST_BYTES = 2_000_000

NUMBERS = (
    "9" * 5_000, "-" + "9" * 5_000, "0." + "3" * 5_000, "1" + "0" * 400 + ".5", "1e400", "-1e400", "1e308", "1e-400", "nan",
    "NaN", "inf", "-inf", "Infinity", "-0", "0", "-1", "+5", "--5", "1_000", "１２", "١٢", "²", "½", "Ⅷ", "0x10", "1,5",
    "1 000", "1\u00a0000", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "1e18", "1.5", "1e", ".", "-", "", " ", "true", "None", "..", "1/3", "1/0", "007",
    "1" * 39, "1" * 41, "0" * 5_000, "1e5",    "1j", "e" * 300,
)  # fmt: skip
"""What may stand where a number was."""
TEXTS = (
    "Total", "total", "All", "", " ", "'", '"', '""', "=cmd|' /C calc'!A0", "<script>", "a" * 20_000, "é" * 5_000, "\u200b",
    "\u2028", "\x85", "\x0b", "\x1c", "\ufeff", "\ud800", "\U0001f600", "@", "@@@@", ":", "town:1", "value", "status",
    "lower", "s", "x", "p", "z", "3", "14", "0", "-1", "nan", "\\", "\t", ";", ",", "a,b", "a;b", "((((", "%s%n",
    "../..", "{}",
)  # fmt: skip
"""What may stand where any field was."""


def span(size: int, rng: Random) -> tuple[int, int]:
    """A short piece of something so long."""
    start = int(rng.integers(size + 1))
    return start, min(size, start + int(rng.integers(1, 40)))


def often(times: int, size: int) -> int:
    """So many times something of a size, but no more than makes some megabytes."""
    return min(times, max(1, MOST_BYTES // max(size, 1)))


def flip_bits(content: bytes, rng: Random) -> bytes:
    """Up to eight bits, anywhere."""
    changed = bytearray(content)
    for place in rng.integers(0, max(len(changed), 1), int(rng.integers(1, 9))) if changed else ():
        changed[int(place)] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def delete(content: bytes, rng: Random) -> bytes:
    """A piece is missing."""
    start, end = span(len(content), rng)
    return content[:start] + content[end:]


def duplicate(content: bytes, rng: Random) -> bytes:
    """A piece stands there again, once or often."""
    start, end = span(len(content), rng)
    return content[:end] + content[start:end] * int(rng.choice([1, 2, 1_000])) + content[end:]


def swap(content: bytes, rng: Random) -> bytes:
    """Two pieces have changed places."""
    first, second = sorted([span(len(content), rng), span(len(content), rng)])
    if first[1] > second[0]:
        return content
    between = content[first[1] : second[0]]
    return content[: first[0]] + content[slice(*second)] + between + content[slice(*first)] + content[second[1] :]


def insert(content: bytes, rng: Random) -> bytes:
    """Bytes of another file, zeros, or noise."""
    place = int(rng.integers(len(content) + 1))
    some = rng.choice([b"\x00" * 8, b"\xff\xfe", b"PK\x03\x04", b"PAR1", b"\n", b"\r", b'"', bytes(rng.bytes(30))])
    return content[:place] + bytes(some) + content[place:]


def cut_short(content: bytes, rng: Random) -> bytes:
    """The end is missing."""
    return content[: int(rng.integers(len(content) + 1))]


def cut_front(content: bytes, rng: Random) -> bytes:
    """The beginning is missing."""
    return content[int(rng.integers(len(content) + 1)) :]


def twice(content: bytes, rng: Random) -> bytes:
    """The whole file a second time, its header too."""
    return content * often(int(rng.choice([2, 3, 50])), len(content))


def empty(content: bytes, rng: Random) -> bytes:
    """Nothing, or as good as nothing."""
    return bytes(rng.choice([b"", b"\n", b"\xef\xbb\xbf", b" \n \n", b"0", b",", b'"', b"\x00"]))


def noise(content: bytes, rng: Random) -> bytes:
    """Something else altogether."""
    return bytes(rng.bytes(int(rng.integers(1, 3_000))))


# --- texts --------------------------------------------------------------------------------------------------------


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


def _lines(content: bytes) -> list[str]:
    return _text(content).split("\n")


def _joined(lines: list[str]) -> bytes:
    return _bytes("\n".join(lines))


def _separator(line: str) -> str:
    return max(",;\t ", key=line.count)


def other_field(content: bytes, rng: Random, instead: tuple[str, ...] = TEXTS) -> bytes:
    """A field says something else."""
    lines = _lines(content)
    k = int(rng.integers(len(lines)))
    fields = lines[k].split(_separator(lines[k]))
    fields[int(rng.integers(len(fields)))] = str(rng.choice(np.array(instead, dtype=object)))
    lines[k] = _separator(lines[k]).join(fields)
    return _joined(lines)


def other_number(content: bytes, rng: Random) -> bytes:
    """A field is a number that few readers think of."""
    return other_field(content, rng, NUMBERS)


def lines_moved(content: bytes, rng: Random) -> bytes:
    """A line is missing, is there twice or a thousand times, or stands elsewhere."""
    lines = _lines(content)
    k, other = int(rng.integers(len(lines))), int(rng.integers(len(lines)))
    how = rng.integers(4)
    if how == 0:
        del lines[k]
    elif how == 1:
        lines[k:k] = [lines[other]]
    elif how == 2:
        lines[k], lines[other] = lines[other], lines[k]
    else:
        lines[k:k] = [lines[other]] * often(1_000, len(lines[other]))
    return _joined(lines)


def header_again(content: bytes, rng: Random) -> bytes:
    """The first line once more, in the middle."""
    lines = _lines(content)
    lines.insert(int(rng.integers(len(lines) + 1)), lines[0])
    return _joined(lines)


def column_again(content: bytes, rng: Random) -> bytes:
    """A column twice, missing, or five hundred times."""
    times = often(int(rng.choice([0, 2, 500])), len(content))
    lines = _lines(content)
    separator = _separator(lines[0])
    k = int(rng.integers(lines[0].count(separator) + 1))
    rows = [line.split(separator) for line in lines]
    return _joined([separator.join([*row[:k], *row[k : k + 1] * times, *row[k + 1 :]]) for row in rows])


def quotes_open(content: bytes, rng: Random) -> bytes:
    """A quotation mark that nobody closes."""
    text = _text(content)
    k = int(rng.integers(len(text) + 1))
    return _bytes(text[:k] + '"' + text[k:])


def odd_encoding(content: bytes, rng: Random) -> bytes:
    """As other programs save texts."""
    text = _text(content)
    how = str(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "cp500", "utf-7", "twice"]))
    if how == "twice":
        return b"\xef\xbb\xbf" * 2 + content
    return text.replace("a", "ä").encode(how, errors="replace")


def odd_characters(content: bytes, rng: Random) -> bytes:
    """One that is no letter: NUL, half of a pair, a mark of the byte order, another kind of line end."""
    text = _text(content)
    k = int(rng.integers(len(text) + 1))
    one = str(
        rng.choice(np.array(["\x00", "\ud800", "\ufeff", "\u2028", "\x85", "\x0c", "\r", "\x1a", "\u202e"], object))
    )
    return _bytes(text[:k] + one * int(rng.choice([1, 1, 300])) + text[k:])


def other_line_ends(content: bytes, rng: Random) -> bytes:
    """Of other machines."""
    ends = (b"\r\n", b"\r", b"\n\n\n", b"\n\r", b"\x85")
    return content.replace(b"\n", ends[int(rng.integers(len(ends)))])


def other_separator(content: bytes, rng: Random) -> bytes:
    """What stands between fields is something else, everywhere or in one line."""
    lines = _lines(content)
    new, k = str(rng.choice([",", ";", "\t", " ", "|", ",,", ":"])), int(rng.integers(len(lines)))
    everywhere = rng.random() < 0.5
    return _joined(
        [line.replace(_separator(line), new) if everywhere or i == k else line for i, line in enumerate(lines)]
    )


def long_line(content: bytes, rng: Random) -> bytes:
    """A line of a megabyte: of one field, or of half a million."""
    lines = _lines(content)
    k = int(rng.integers(len(lines)))
    lines[k] += str(
        rng.choice(np.array(["x" * 1_000_000, "," * 500_000, "1," * 500_000, "@" * 1_000_000, '"x' * 400_000], object))
    )
    return _joined(lines)


def deep(content: bytes, rng: Random) -> bytes:
    """Ever deeper levels."""
    depth = int(rng.choice([50, 2_000]))
    return content + _bytes("".join("@" * k + f"deep{k}\n" for k in range(1, depth)))


def many_lines(content: bytes, rng: Random) -> bytes:
    """Fifty thousand lines of new labels."""
    lines = _lines(content)
    model = lines[min(1, len(lines) - 1)]
    separator = _separator(model)
    rest = model.split(separator)[1:]
    return _joined([*lines, *(separator.join([f"new{i}", *rest]) for i in range(often(50_000, len(model))))])


OF_BYTES: dict[str, Change] = {
    one.__name__: one for one in (flip_bits, delete, duplicate, swap, insert, cut_short, cut_front, twice, empty, noise)
}
OF_TEXTS: dict[str, Change] = {
    one.__name__: one
    for one in (
        other_field, other_number, lines_moved, header_again, column_again, quotes_open, odd_encoding, odd_characters,
        other_line_ends, other_separator, long_line, deep, many_lines,
    )
}  # fmt: skip
HEAVY = frozenset({"twice", "long_line", "deep", "many_lines"})
"""Changes that make a file large: fewer of them are tried."""
