#!/usr/bin/env bash
# Times of the 216k dam break with 2 threads in developed flow, medians of five rounds:
#   a picture of the style `water`, 1280 × 720, from stored results        at most 0.5 s
#   whitewater, with reading and storing, over simulating the same frames  at most 15 %
# The frames stay in BUILD/water-speed for the next time; those that are timed are simulated in every round.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
scene=$SLEET_SOURCE/scenes/papers/apbf/dam_216k.json
dam=$SLEET_BUILD/water-speed
before=130 last=150 rounds=5
checkpoint=$dam/checkpoint_000$before.slc

echo "load before: $(cut -d' ' -f1 /proc/loadavg 2> /dev/null || echo unknown)"
if [ ! -e "$checkpoint" ]; then
    expect 0 run "$scene" -o "$dam" --frames $before --overwrite --quiet --threads 2
fi
cp "$checkpoint" kept.slc
: > rows
for round in $(seq $rounds); do
    [ -e "$checkpoint" ] || cp kept.slc "$checkpoint"
    expect 0 run "$scene" -o "$dam" --frames $last --resume=$before --overwrite --quiet --threads 2
    # Whitewater of the frames before is stored; that of the timed ones is made again.
    expect 0 filter "$dam" --filter whitewater --frames $before --quiet --threads 2
    for number in $(seq $((before + 1)) $last); do
        rm -f "$dam"/filters/whitewater-*/frame_000"$number".slf
    done
    expect 0 filter "$dam" --filter whitewater --frames $((before + 1))-$last --quiet --threads 2
    filter=$said
    # The first one stores the surface.
    [ "$round" -gt 1 ] || expect 0 render "$dam" --style water --size 1280x720 --frames $last -o one.png --threads 2 -q
    expect 0 render "$dam" --style water --size 1280x720 --frames $last -o one.png --threads 2
    printf '%s\n' "stats $(awk -F, -v from=$before -v to=$last '
        NR == 1 { for (k = 1; k <= NF; k++) { if ($k == "time_s") time = k; if ($k ~ /_ms$/) ms[k] = 1 } next }
        $time * 60 > from + 0.1 && $time * 60 < to + 0.1 { for (k in ms) sum += $k; steps++ }
        END { printf "%d %.3f", steps, sum / (to - from) }' "$dam/stats.csv")" "filter $filter" "picture $errors" >> rows
done
checks=$((checks + 1))
python3 - "$((last - before))" $rounds << 'END' || fail "a threshold is missed"
import re
import statistics
import sys
frames, rounds = int(sys.argv[1]), int(sys.argv[2])
text = open("rows").read()
simulation = [(int(a), float(b)) for a, b in re.findall(r"^stats (\d+) ([0-9.]+)", text, re.M)]
whitewater = re.findall(r"^filter (\d+) frames: (\d+) made in [0-9.]+ s \(([0-9.]+) ms each", text, re.M)
pictures = [float(t) for t in re.findall(r"1 frames drawn, ([0-9.]+) ms each", text)]
filters = [float(t) for t in re.findall(r"and ([0-9.]+) ms for filters", text)]
assert len(simulation) == len(whitewater) == len(pictures) == rounds, text
assert all(steps >= frames for steps, _ in simulation), simulation
assert all(int(a) == int(b) == frames for a, b, _ in whitewater), whitewater
ratios = [float(made) / ms for (_, ms), (_, _, made) in zip(simulation, whitewater)]
print("simulation of a frame:", " ".join(f"{ms:.1f}" for _, ms in simulation), "ms")
print("whitewater of a frame:", " ".join(made for _, _, made in whitewater), "ms")
print("picture from stored results:", " ".join(f"{ms:.1f}" for ms in pictures), "ms, reading them:",
      " ".join(f"{ms:.1f}" for ms in filters), "ms")
ratio, picture = statistics.median(ratios), statistics.median(pictures)
print(f"whitewater over simulation: {ratio:.3f} (0.15); picture: {picture:.1f} ms (500)")
sys.exit(ratio > 0.15 or picture > 500)
END
finish
