# Holds `sleet estimate` to what a run takes. Sourced after command.sh.
# shellcheck shell=bash

# check_estimate SCENE [FRAMES]: of the whole run, or of so many frames.
check_estimate() {
    local scene=$1 estimated measured=0 process now
    local -a frames=()
    [ $# -lt 2 ] || frames=(--set "time.frames=$2")
    expect 0 estimate "$scene" "${frames[@]}"
    says "particles: " "memory: " "disk: " "time: "
    estimated=$(sed -n 's/^memory: \([0-9.]*\) MiB$/\1/p' <<< "$said")
    if sanitized; then
        skip "a sanitizer has memory of its own"
        return
    fi
    "$sleet" run "$scene" "${frames[@]}" -o estimated -q > /dev/null &
    process=$!
    # The kernel's high-water mark of the process itself; what wait reports counts the shell's too.
    while kill -0 "$process" 2> /dev/null; do
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$process/status" 2> /dev/null)
        [ -z "$now" ] || measured=$now
        sleep 0.02
    done
    checks=$((checks + 1))
    wait "$process" || fail "$scene: the run failed"
    rm -rf estimated
    echo "${scene##*/}: estimated $estimated MiB, measured $((measured / 1024)) MiB"
    checks=$((checks + 1))
    # Small runs within 2.5 MiB: what the program itself takes depends on the machine.
    awk -v e="$estimated" -v m="$measured" \
        'BEGIN { m /= 1024; exit !(e > m / 1.15 && (e < m * 1.15 || e < m + 2.5)) }' ||
        fail "$scene: estimated $estimated MiB, measured $measured KiB"
}
