#!/usr/bin/env bash
# Every scene of the repository from its first frame to its last with its own settings: it ends with
# exit code 0, all of its frames verify, and a run that was killed in the middle ends with the same
# bits. SCENES (a pattern, default all) picks some of them.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
while read -r scene; do
    name=${scene#"$SLEET_SOURCE"/scenes/}
    [[ $name == *${SCENES:-}* ]] || continue
    if ! "$sleet" estimate "$scene" > estimate.txt 2>&1; then
        skip "$name: $(tail -n 1 estimate.txt)"
        continue
    fi
    checks=$((checks + 1))
    "$sleet" run "$scene" -o whole -q > hash.txt 2> errors.txt || fail "$name: $(tail -n 1 errors.txt)"
    checks=$((checks + 1))
    "$sleet" verify whole > verify.txt 2>&1 || fail "$name: verify: $(tail -n 1 verify.txt)"
    "$sleet" run "$scene" -o killed -q --checkpoint-every 30s > /dev/null 2>&1 &
    job=$!
    sleep 60
    kill -9 $job 2> /dev/null
    wait $job 2> /dev/null
    "$sleet" run "$scene" -o killed -q --resume > killed.txt 2>&1
    same "$name: hash after a kill" "$(cat hash.txt)" "$(tail -n 1 killed.txt)"
    rm -rf whole killed
done < <(find "$SLEET_SOURCE/scenes" -name '*.json' | sort)
finish
