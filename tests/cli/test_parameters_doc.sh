#!/usr/bin/env bash
# docs/parameters.md holds what `sleet params --markdown` prints, below a head of its own.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build_dir=${SLEET_BUILD:-$source_dir/build}
page=$source_dir/docs/parameters.md

tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
"$build_dir/sleet" params --markdown > "$tables"
[[ -s $tables ]] || { printf 'sleet params --markdown printed nothing\n' >&2; exit 1; }

head -n 1 "$page" | grep -qx '# Parameters' || { printf '%s has lost its head\n' "$page" >&2; exit 1; }

# The head ends where the first table's heading begins.
if ! diff -u --label docs/parameters.md --label 'sleet params --markdown' \
    <(sed -n '/^## /,$p' "$page") "$tables" >&2; then
    printf '\ndocs/parameters.md is out of date. To make it again:\n' >&2
    printf "  sed -i '/^## /,\$d' docs/parameters.md\n" >&2
    printf '  build/sleet params --markdown >> docs/parameters.md\n' >&2
    exit 1
fi
