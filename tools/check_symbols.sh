#!/usr/bin/env bash
# What the library shows the world is what its headers promise, and it keeps no mutable globals.
#
# usage: check_symbols.sh LIB.so [HEADER_DIR]
#
# The static library beside LIB.so (.a) is read for writable data. Prints every breach; exit code
# 0: none, 1: some, 2: bad use.
set -euo pipefail
export LC_ALL=C

# Writable objects that may exist, one name each, with the reason.
allowed_globals=(
    assert_handler # process-wide by nature: asserts fire where no context is at hand
)

if [[ $# -lt 1 || ! -f $1 ]]; then
    printf 'usage: check_symbols.sh LIB.so [HEADER_DIR]\n' >&2
    exit 2
fi
shared=$1
archive=${shared%.so}.a
headers=${2:-$(cd "$(dirname "$0")/.." && pwd)/include/sleet}
if [[ ! -f $archive ]]; then
    printf 'check_symbols: %s is missing\n' "$archive" >&2
    exit 2
fi

breaches=0
breach() {
    printf '%s\n' "$*"
    breaches=$((breaches + 1))
}

# The name before the first parenthesis of each SL_API declaration.
declared=$(sed '/#define SL_API/d' "$headers"/*.h | tr '\n' ' ' | grep -oE '\bSL_API [^;{]*;' |
    sed -E 's/\(.*//; s/ *;$//; s/.*[^A-Za-z0-9_]//' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '{print $3}' | sed 's/@.*//' | sort -u)

while read -r name; do
    [[ -z $name ]] || breach "$name is exported, but does not start with sl_"
done < <(grep -v '^sl_' <<< "$exported" || true)
while read -r name; do
    [[ -z $name ]] || breach "$name is exported, but no public header declares it SL_API"
done < <(comm -13 <(printf '%s\n' "$declared") <(printf '%s\n' "$exported") | grep '^sl_' || true)
while read -r name; do
    [[ -z $name ]] || breach "$name is declared SL_API, but not exported"
done < <(comm -23 <(printf '%s\n' "$declared") <(printf '%s\n' "$exported"))

# Objects in .data, .bss, thread-local or common sections; .data.rel.ro is constant once loaded.
# The number that compilers add to a static inside a function is cut off.
while read -r section name; do
    for allowed in "${allowed_globals[@]}"; do
        [[ $name != "$allowed" ]] || continue 2
    done
    breach "$name is writable data ($section); state belongs in the context or the world"
done < <(objdump -t "$archive" | awk -F '\t' 'NF == 2 {
        n = split($1, left, " "); split($2, right, " ")
        section = left[n]; size = right[1]; name = right[length(right)]
        sub(/\.[0-9]+$/, "", name)
        if (section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ &&
            size !~ /^0+$/)
            print section, name
    }' | sort -u)

if [[ $breaches -gt 0 ]]; then
    printf 'symbols: %d breaches\n' "$breaches"
    exit 1
fi
printf 'symbols: %d exported, all declared; no mutable globals\n' "$(wc -l <<< "$exported")"
