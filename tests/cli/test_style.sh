#!/usr/bin/env bash
# Words, function and file sizes, parameter counts and citations are as tools/check_style.py asks, and
# the script can fail: one finding of each kind in a small tree.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
check=$source_dir/tools/check_style.py

python3 "$check" "$source_dir"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/core" "$tree/docs"
printf '| [Macklin 2013] | Position Based Fluids |\n' > "$tree/docs/references.md"

# expect TEXT WORDS: a source with that text gives exit code 1 and a line with WORDS.
expect() {
    local code=0 said
    printf '%s\n' "$1" > "$tree/src/core/a.c"
    said=$(python3 "$check" "$tree") || code=$?
    if [[ $code -ne 1 || $said != *"src/core/a.c:"*"$2"* ]]; then
        printf 'expected a finding with "%s", got exit code %d and:\n%s\n' "$2" "$code" "$said" >&2
        exit 1
    fi
}
lines=$(printf '    a++;\n%.0s' $(seq 90))
many=$(seq -f '/* %g */' 700)
expect "void f(int a)
{
$lines
}" 'at most 80'
expect 'int f(int a, int b, int c, int d, int e, int f, int g, int h)
{
}' 'takes 8 parameters'
expect "$many" 'at most 600'
expect "/* the plain tw""in */" 'reference implementation'
expect "int mo""st_iterations;" 'max_'
expect '/* [Unknown 1999] */' 'references.md'
expect '    .citation = "Macklin 2013",' 'keys of docs/references.md'

printf '/* [Macklin 2013 eq. 7] */\nint max_iterations;\n' > "$tree/src/core/a.c"
python3 "$check" "$tree" > /dev/null
