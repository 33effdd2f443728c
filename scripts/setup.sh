#!/bin/sh
# Installs what the suites need, once; running it again changes nothing.
#   scripts/setup.sh              installs, or fails and says what is missing
#   scripts/setup.sh --optional   installs if it may, else says what is missing and succeeds
set -eu

optional=no
[ "${1:-}" = "--optional" ] && optional=yes

# command:package
wanted="cc:gcc g++:g++ gdb:gdb lldb:lldb clang:clang javac:openjdk-17-jdk-headless mvn:maven chromium:chromium node:nodejs objcopy:binutils pgrep:procps valgrind:valgrind"

missing=""
packages=""
for pair in $wanted; do
    command=${pair%%:*}
    package=${pair#*:}
    if ! command -v "$command" >/dev/null 2>&1; then
        missing="$missing $command"
        packages="$packages $package"
    fi
done
if ! command -v cargo >/dev/null 2>&1; then
    echo "setup: cargo is missing: install Rust 1.95 or later" >&2
    exit 1
fi

# For checkpoints on disk; the tests of that test the refusal where there is none.
if [ "$optional" = no ]; then
    "$(dirname "$0")/criu.sh" || echo "setup: going on without criu" >&2
fi
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing$packages" >&2
    export DEBIAN_FRONTEND=noninteractive
    # Words are split on purpose: these are several packages.
    # shellcheck disable=SC2086
    if apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
        { apt-get update >/dev/null 2>&1 &&
          apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; }; then
        exit 0
    fi
    echo "setup: apt-get could not install$packages" >&2
fi
echo "setup: missing:$missing; on Debian: apt-get install$packages" >&2
[ "$optional" = yes ] && { echo "setup: going on without" >&2; exit 0; }
exit 1
