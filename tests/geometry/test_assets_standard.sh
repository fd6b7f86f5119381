#!/usr/bin/env bash
# The meshes in assets/ are closed and of the right size, and the tool makes them again to the byte.
set -euo pipefail
source_folder=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2> /dev/null; then
        python=$candidate
        break
    fi
done
if [[ -z $python ]]; then
    echo "SKIPPED: no numpy (apt-get install python3-numpy)"
    exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$python" "$source_folder/tools/make_assets.py" --check
"$python" "$source_folder/tools/make_assets.py" --out "$scratch/assets" > /dev/null
for made in "$scratch"/assets/*.obj; do
    cmp "$made" "$source_folder/assets/$(basename "$made")"
done

# Every frame of the walker is closed and has the same triangles as the first.
"$python" "$source_folder/tools/make_assets.py" --walker "$scratch/walker" --frames 3 > /dev/null
for frame in "$scratch"/walker/*.obj; do
    cmp <(grep '^f' "$scratch/walker/walker_0000.obj") <(grep '^f' "$frame")
done

# A hole is found: the check must not pass whatever it is given.
cp -r "$scratch/assets" "$scratch/broken"
sed -i '$d' "$scratch/broken/cone.obj"
if "$python" "$source_folder/tools/make_assets.py" --check "$scratch/broken" > /dev/null; then
    echo "a cone with a hole passed the check"
    exit 1
fi
