# Shell functions that ./check and ./demo share: messages, timing, Debian packages. Sourced by bash
# with `set -euo pipefail`.
# shellcheck shell=bash

# What a build needs, and what one is better with.
build_packages=(gcc libc6-dev cmake ninja-build libxxhash-dev libzstd-dev libpng-dev
    libsuitesparse-dev)
test_packages=(binutils python3 python3-numpy libcmocka-dev)
video_packages=(ffmpeg)
picture_packages=(libopenexr-dev libembree-dev)
analysis_packages=(clang cppcheck)
plot_packages=(python3-numpy python3-matplotlib)

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
    bold='' red='' plain=''
fi

say() {
    printf '%s==> %s%s\n' "$bold" "$*" "$plain"
}

complain() {
    printf '%s%s%s\n' "$red" "$*" "$plain" >&2
}

die() {
    complain "$@"
    exit 1
}

# Seconds as people say them.
duration() {
    if [[ $1 -ge 60 ]]; then
        printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
    else
        printf '%d s' "$1"
    fi
}

# Those of the named packages that are not installed. Without dpkg nothing can be said: none.
missing_packages() {
    command -v dpkg-query > /dev/null || return 0
    local package
    for package in "$@"; do
        # dpkg-query fails for a name it has never heard of.
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true) != installed ]]
        then
            printf '%s\n' "$package"
        fi
    done
}

# Runs a command with the rights to install; fails where there are none.
as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# install_packages LOG PACKAGE...
install_packages() {
    local log=$1
    shift
    as_root true || return 1
    # The lists may be old or absent; an update that half fails may still do.
    as_root apt-get update > "$log" 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@" >> "$log" 2>&1
}

# Installs what is missing of the packages that there is no going on without.
need_packages() {
    local missing log
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    say "installing ${missing[*]}"
    log=$(mktemp)
    if install_packages "$log" "${missing[@]}"; then
        rm -f "$log"
        return 0
    fi
    tail -n 5 "$log" >&2
    rm -f "$log"
    complain "These packages are needed and could not be installed from here. Please run:"
    die "    sudo apt-get update && sudo apt-get install ${missing[*]}"
}

# want_packages WHAT_IS_LOST PACKAGE...: installs them if possible; one line and on if not.
want_packages() {
    local lost=$1 missing log
    shift
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    say "installing ${missing[*]}"
    log=$(mktemp)
    install_packages "$log" "${missing[@]}" ||
        say "without ${missing[*]}: $lost (sudo apt-get install ${missing[*]})"
    rm -f "$log"
}
