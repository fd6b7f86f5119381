#!/usr/bin/env python3
"""Checks what STYLE asks of sources and docs and a script can decide.

usage: check_style.py [--list] [ROOT]

- No function is longer than 80 lines or takes more than seven parameters; exceptions stand in
  tools/style_exceptions.csv with their reason, and one that is no longer needed is an error too.
- A file of src/ has at most 600 lines.
- Words that have a better one in this project (WORDS below) do not come back in sources, scenes,
  tests and docs.
- A paper cited by key, [Macklin 2013 eq. 7], has that key in docs/references.md; descriptors cite by key.

Prints one line per finding, file:line: message. Exit code 0: none; 1: some. --list prints the
longest functions and the longest parameter lists instead."""
import argparse
import csv
import pathlib
import re
import sys

MAX_LINES, MAX_PARAMETERS, MAX_FILE = 80, 7, 600
CODE = (".c", ".h")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

# word (a regular expression, whole words) -> what to write
WORDS = {
    r"nobody|everybody": "no particle, all particles",
    r"twins?": "reference implementation",
    r"did not end|does not end": "did not converge",
    r"dear|dearer|dearest": "expensive",
    r"most_[a-z_]+|[a-z_]+_most": "max_",
    r"least_[a-z_]+|[a-z_]+_least": "min_",
    r"document 00[0-9]": "a key of docs/references.md",
    r"(?-i:FACTS)": "a key of docs/references.md",
    r"strays?": "stale neighbours",
    r"lightness": "inverse-mass ratio",
    r"rungs?": "grid index",
    r"foresees?": "extrapolate",
    r"blames?|blamed": "report",
    r"calm|calm_share": "restart",
    r"check_rooms|rooms.csv": "check_modules, modules.csv",
    r"plan of the house": "architecture",
}
# Files that hold the old names on purpose.
OLD_NAMES = ("check_style.py", "same_bits.py")
# Where a word is right: (path, word as found).
ALLOWED = {
    ("src/core/sort.c", "least_significant"),
}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def functions(text):
    """(name, line, lines, parameters) of every function definition: its brace is in column 0."""
    code = COMMENT_OR_TEXT.sub(blank, text)
    lines = code.split("\n")
    for number, line in enumerate(lines):
        if line != "{":
            continue
        first = number - 1
        while first > 0 and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "#")) \
                and not lines[first - 1].rstrip().endswith(";"):
            first -= 1
        head = " ".join(lines[first:number])
        match = re.search(r"(\w+)\s*\((.*)\)\s*$", head)
        if not match:
            continue
        depth, count, inside = 0, 1, match.group(2).strip()
        for letter in inside:
            depth += letter in "([{"
            depth -= letter in ")]}"
            count += letter == "," and depth == 0
        end = number
        while end < len(lines) and lines[end] != "}":
            end += 1
        yield match.group(1), first + 1, end - first + 1, 0 if inside in ("", "void") else count


def read_exceptions(path):
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["file"], row["function"]): row["reason"] for row in rows}


def check_sources(root, exceptions):
    used = set()
    for path in sorted([*(root / "src").rglob("*"), *(root / "tests").rglob("*")]):
        if path.suffix not in CODE:
            continue
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        length = text.count("\n")
        if length > MAX_FILE and name.startswith("src/"):
            if (name, "") in exceptions:
                used.add((name, ""))
            else:
                yield f"{name}:1: {length} lines; a file has at most {MAX_FILE}"
        for function, line, lines, parameters in functions(text):
            key = (name, function)
            if lines <= MAX_LINES and parameters <= MAX_PARAMETERS:
                continue
            if key in exceptions:
                used.add(key)
            elif lines > MAX_LINES:
                yield f"{name}:{line}: {function} has {lines} lines; at most {MAX_LINES}"
            else:
                yield f"{name}:{line}: {function} takes {parameters} parameters; at most {MAX_PARAMETERS}"
    for file, function in sorted(set(exceptions) - used):
        yield f"tools/style_exceptions.csv:1: {file} {function}: the exception is no longer needed"


def worded(root):
    for folder in ("src", "include", "tests", "docs", "scenes", "tools", "cmake"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".md", ".json", ".sh", ".py", ".cmake") and ".seeds" not in str(path) \
                    and "tests/scene/broken" not in path.as_posix() and path.name not in OLD_NAMES:
                yield path
    yield from (root / name for name in ("README.md", "CONTRIBUTING.md", "check", "demo"))


def check_words(root):
    patterns = [(re.compile(rf"\b(?:{word})\b", re.I), better) for word, better in WORDS.items()]
    for path in worded(root):
        if not path.exists():
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for pattern, better in patterns:
                for match in pattern.finditer(line):
                    if (name, match.group()) not in ALLOWED:
                        yield f'{name}:{number}: "{match.group()}": write {better}'


def check_descriptors(root):
    """The citation of a descriptor names papers by their keys."""
    for path in sorted((root / "src").rglob("*.c")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r'\.citation = "([^"]+)"', text):
            if "[" not in match.group(1):
                line = text.count("\n", 0, match.start()) + 1
                yield (f'{path.relative_to(root).as_posix()}:{line}: citation "{match.group(1)}": '
                       "write keys of docs/references.md, as [Macklin 2013]")


def check_citations(root):
    page = root / "docs" / "references.md"
    known = set(re.findall(r"^\| \[([^\]]+)\]", page.read_text(encoding="utf-8"), re.M))
    for path in worded(root):
        if not path.exists() or path.suffix not in (".c", ".h", ".md"):
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for key in re.findall(r"[\[;] ?([A-Z][\w ]*? (?:19|20)\d\d)(?=[ ,;\]])[^\[\]]*\]", line):
                if key not in known:
                    yield f"{name}:{number}: [{key}] is not in docs/references.md"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the longest instead")
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    root = options.root.resolve()
    if options.list:
        rows = [(lines, parameters, path.relative_to(root).as_posix(), name)
                for path in (root / "src").rglob("*.[ch]")
                for name, _, lines, parameters in functions(path.read_text(encoding="utf-8"))]
        for row in sorted(rows, reverse=True)[:20] + sorted(rows, key=lambda r: -r[1])[:20]:
            print("%4d lines %2d parameters  %s  %s" % row)
        return 0
    findings = list(check_sources(root, read_exceptions(root / "tools" / "style_exceptions.csv")))
    findings += check_words(root)
    findings += check_citations(root)
    findings += check_descriptors(root)
    print("\n".join(findings) if findings else "style: no findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
