#!/usr/bin/env python3
"""Makes the pictures of docs/gallery.md again by the commands printed there.

usage: tools/make_gallery.py [--list] [--only PATTERN]... [--work DIR] [--install] [--check]

The page is the only source: under each heading stand pictures, ![](gallery/NAME.png), and indented
commands. A picture is the file NAME.png that a command of its section names after -o; commands run in
--work (out/gallery-work), where build/ and scenes/ are those of the repository, so that a run folder
that one section made serves the next; a finished run is not run again. Comments (# …) are left out.

  --list     prints sections, pictures and commands
  --only P   only sections that have a picture whose name matches P (as in a shell)
  --install  copies the pictures made over those of docs/gallery
  --check    no command is run: exit code 1 unless every picture has a command that makes it, every file of
             docs/gallery is shown, and all of them have less than 15 MB"""
import argparse
import fnmatch
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
MAX_BYTES = 15_000_000


def sections(text):
    """[(heading, pictures, commands)]"""
    found, heading, pictures, commands = [], "", [], []
    continued = False
    for line in text.split("\n") + ["# end"]:
        if re.match(r"#+ ", line) and not continued:
            if pictures:
                found.append((heading, pictures, commands))
            heading, pictures, commands = line.lstrip("# "), [], []
            continue
        pictures += re.findall(r"!\[[^\]]*\]\(gallery/([^)]+)\)", line)
        if line.startswith("    ") and line.strip():
            words = re.sub(r"\s+#.*$", "", line.strip())
            if continued:
                commands[-1] = commands[-1][:-1].rstrip() + " " + words
            elif not words.startswith("#"):
                commands.append(words)
            continued = words.endswith("\\")
    return found


def makes(command, picture):
    words = shlex.split(command)
    return picture in words


def problems(pages):
    shown = {name for _, pictures, _ in pages for name in pictures}
    for heading, pictures, commands in pages:
        for picture in pictures:
            if not any(makes(command, picture) for command in commands):
                yield f'{PAGE.name}: "{heading}": no command makes {picture}'
            if not (PAGE.parent / "gallery" / picture).exists():
                yield f"{PAGE.name}: gallery/{picture} is missing"
    files = sorted((PAGE.parent / "gallery").iterdir())
    for file in files:
        if file.name not in shown:
            yield f"docs/gallery/{file.name} is not shown in {PAGE.name}"
    size = sum(file.stat().st_size for file in files)
    if size >= MAX_BYTES:
        yield f"docs/gallery has {size / 1e6:.1f} MB, allowed are {MAX_BYTES / 1e6:.0f}"


def is_complete(command, work):
    """A run whose folder has its last frame."""
    words = shlex.split(command)
    if len(words) < 2 or words[1] != "run" or "-o" not in words:
        return False
    folder = work / words[words.index("-o") + 1]
    if "--frames" not in words:
        return (folder / "complete").exists()
    return (folder / f"frame_{int(words[words.index('--frames') + 1]):06d}.slf").exists()


def run(command, work):
    if is_complete(command, work):
        print(f"  (done before) {command}", flush=True)
        return
    began = time.monotonic()
    resume = " --resume" if re.match(r"\S*sleet run ", command) else ""
    print(f"  {command}{resume}", flush=True)
    if subprocess.run(["bash", "-ec", command + resume], cwd=work).returncode != 0:
        sys.exit(f"make_gallery.py: failed: {command}")
    words = shlex.split(command)
    if resume and "--frames" not in words:
        (work / words[words.index("-o") + 1] / "complete").touch()
    print(f"    {time.monotonic() - began:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "out" / "gallery-work")
    options = parser.parse_args()
    pages = sections(PAGE.read_text(encoding="utf-8"))
    if options.check:
        found = list(problems(pages))
        print("\n".join(found) if found else f"gallery: {sum(len(p) for _, p, _ in pages)} pictures")
        return 1 if found else 0
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in ("build", "scenes", "assets", "tools"):
        if not (work / name).exists():
            (work / name).symlink_to(ROOT / name)
    for heading, pictures, commands in pages:
        wanted = not options.only or any(fnmatch.fnmatch(p, o) for p in pictures for o in options.only)
        if not wanted:
            continue
        print(f"{heading}: {', '.join(pictures)}", flush=True)
        for command in commands:
            if options.list:
                print(f"  {command}")
            else:
                run(command, work)
        for picture in pictures if not options.list else []:
            if not (work / picture).exists():
                sys.exit(f"make_gallery.py: {picture} was not made")
            if options.install:
                shutil.copy(work / picture, PAGE.parent / "gallery" / picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
