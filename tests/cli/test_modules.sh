#!/usr/bin/env bash
# The sources keep to tools/modules.csv.
set -euo pipefail
source_dir=${SLEET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 "$source_dir/tools/check_modules.py" "$source_dir"
