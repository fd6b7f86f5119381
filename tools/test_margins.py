#!/usr/bin/env python3
"""Lists bounds of tests that are too loose to fail.

usage: SLEET_TEST_MARGINS=/tmp/margins.txt ctest --test-dir build -L 'quick|standard'
       test_margins.py /tmp/margins.txt [--factor 20]

Each line of the file is a comparison made by assert_less or assert_near: place, expression, value
seen, bound. Printed are the places whose largest value over the run stayed below bound / factor."""
import argparse
import collections


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--factor", type=float, default=20)
    options = parser.parse_args()
    nearest = collections.defaultdict(float)
    example = {}
    with open(options.file, encoding="utf-8") as file:
        for line in file:
            place, what, seen, bound = line.rstrip("\n").split("\t")
            if float(bound) <= 0:
                continue
            ratio = abs(float(seen)) / float(bound)
            if ratio >= nearest[place]:
                nearest[place], example[place] = ratio, (what, seen, bound)
    for place, ratio in sorted(nearest.items(), key=lambda item: item[1]):
        if 0 < ratio < 1 / options.factor:
            what, seen, bound = example[place]
            print(f"{place}: {what}: at most {seen} was seen, the bound is {bound}")


if __name__ == "__main__":
    main()
