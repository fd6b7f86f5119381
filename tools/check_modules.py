#!/usr/bin/env python3
"""Holds the sources to the module table (docs/architecture.md, tools/modules.csv).

usage: check_modules.py [--table CSV] [ROOT]

Reads every source under ROOT/src and ROOT/include and prints one line, file:line: message, for
each breach. Exit code 0: none; 1: some; 2: the table or the tree cannot be read."""
import argparse
import csv
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
INTRINSICS = re.compile(r"^([a-z]*mmintrin|x86intrin|x86gprintrin|arm_neon|arm_sve)\.h$")
# A call by its bare name; a member (x.exit, x->exit) or a longer name is someone else's.
CALL = re.compile(r"(?<![\w.>])(printf|vprintf|puts|putchar|perror|exit|quick_exit|abort|assert)\s*\(")
STREAM = re.compile(r"(?<![\w.>])(stdout|stderr)\b")
THREAD = re.compile(r"(?<![\w.>])(pthread_create|thrd_create)\s*\(")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def read_table(path):
    """modules: name -> what it may include; headers: name -> module or single header it stands for."""
    modules, headers = {}, {}
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        next(rows)
        for kind, name, rest in rows:
            if kind == "module":
                modules[name] = set(rest.split())
            elif kind == "header":
                headers[name] = rest.strip()
            else:
                raise ValueError(f'{path}: "{kind}" is neither module nor header')
    return modules, headers


def blank(match):
    """A comment or a string as spaces, so that columns and line numbers stay."""
    return re.sub(r"[^\n]", " ", match.group())


class Checker:
    def __init__(self, root, modules, headers):
        self.root, self.modules, self.headers = root, modules, headers
        self.breaches = []

    def breach(self, path, line, message):
        self.breaches.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def module_of(self, path):
        """The longest row that is a folder of the path; None: there is none."""
        folder = path.rsplit("/", 1)[0]
        while folder and folder not in self.modules:
            folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
        return folder or None

    def check_include(self, path, line, module, target):
        if target.startswith("../") or target.startswith("./"):
            self.breach(path, line, f'"{target}": includes are written from src/')
            return
        owner = self.headers.get(target)
        if owner is None:
            owner = target
            if target.startswith("sleet/"):
                self.breach(path, line, f'"{target}" has no row in tools/modules.csv')
                return
            if "/" not in target:
                self.breach(path, line, f'"{target}": write it from src/, as "{module}/{target}"')
                return
        owner_module = self.module_of(owner)
        if owner_module is None:
            self.breach(path, line, f'"{target}" is of no module in tools/modules.csv')
            return
        allowed = self.modules[module]
        # A folder inside a module is a module of its own where the table has a row for it.
        outer = owner_module.split("/")[0]
        if owner_module == module or owner_module in allowed or owner in allowed:
            return
        if target.startswith("sleet/") and "sleet/*" in allowed:
            return
        if outer in allowed and f"{outer}/" not in f"{module}/":
            return
        may = ", ".join(sorted(allowed)) or "nothing but itself"
        self.breach(path, line, f'{module}/ may not include "{target}"; it may include {may}')

    def check_words(self, path, module, text):
        """What a source may call, comments and strings apart."""
        code = COMMENT_OR_TEXT.sub(blank, text)
        relative = path.relative_to(self.root).as_posix()
        for number, line in enumerate(code.split("\n"), 1):
            if line.lstrip().startswith("#include"):
                continue
            if THREAD.search(line) and module != "core":
                self.breach(path, number, "threads are made only in src/core (core/parallel.h)")
            if module in ("bench", "cli") or relative == "src/core/error.c":
                continue
            call = CALL.search(line)
            if call and call.group(1) == "assert":
                self.breach(path, number, "assert() cannot be replaced; use SL_ASSERT")
            elif call:
                self.breach(path, number, f"the library never prints or exits: {call.group(1)}()")
            stream = STREAM.search(line)
            if stream:
                self.breach(path, number, f"the library never prints: {stream.group(1)}")

    def check_file(self, path, module):
        text = path.read_text(encoding="utf-8")
        relative = path.relative_to(self.root).as_posix()
        # Vectors stay in kernels; what several kernels share is in *_lanes.h, which is theirs alone.
        vectors = path.name.endswith(("_kernels.c", "_lanes.h")) or relative == "src/core/simd.h"
        for number, line in enumerate(text.split("\n"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quoted, target = match.group(1) == '"', match.group(2)
            if quoted:
                self.check_include(path, number, module, target)
            wide = target == "core/simd.h" or target.endswith("_lanes.h")
            if (wide or INTRINSICS.match(target)) and not vectors:
                self.breach(path, number, f"only *_kernels.c and *_lanes.h may include {target}")
        self.check_words(path, module, text)

    def run(self):
        for folder in sorted((self.root / "src").iterdir()):
            if not folder.is_dir():
                self.breach(folder, 1, "every source lives in a module: src/MODULE/")
                continue
            if folder.name not in self.modules:
                self.breach(folder, 1, f'module "{folder.name}" has no row in tools/modules.csv')
                continue
            for path in sorted(folder.rglob("*")):
                if path.suffix in (".c", ".h", ".inc"):
                    self.check_file(path, self.module_of(path.relative_to(self.root / "src").as_posix()))
        public = self.root / "include" / "sleet"
        for path in sorted(public.glob("*.h")) if public.is_dir() else []:
            owner = self.headers.get(f"sleet/{path.name}")
            if owner is None:
                self.breach(path, 1, f'"sleet/{path.name}" has no row in tools/modules.csv')
            else:
                self.check_file(path, owner if owner in self.modules else self.module_of(owner))
        self.check_cycles()
        return self.breaches

    def check_cycles(self):
        """No module may reach itself through what it may include; single headers do not count."""
        table = {name: {m for m in may if m in self.modules and m != name} for name, may in self.modules.items()}
        reached = {name: set(may) for name, may in table.items()}
        for _ in table:
            for name in table:
                reached[name] |= {far for near in reached[name] for far in reached[near]}
        outer = lambda name: name.split("/")[0]
        for name, far in sorted(reached.items()):
            back = sorted(other for other in table[name] if outer(other) != outer(name) and name in reached[other])
            if back:
                self.breaches.append(f"tools/modules.csv: {name} and {back[0]} include each other")


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", default=here / "modules.csv")
    parser.add_argument("root", nargs="?", default=here.parent, type=pathlib.Path)
    options = parser.parse_args()
    try:
        modules, headers = read_table(options.table)
        breaches = Checker(options.root.resolve(), modules, headers).run()
    except (OSError, ValueError) as problem:
        print(f"check_modules: {problem}", file=sys.stderr)
        return 2
    for breach in breaches:
        print(breach)
    print(f"modules: {len(breaches)} breaches" if breaches else "modules: every include is allowed")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
