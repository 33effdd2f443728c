#!/bin/sh
# Installs what the suites need, once; running it again changes nothing.
#   scripts/setup.sh          everything the suites need: installs it, or fails and says what is missing
#   scripts/setup.sh --tour   what the tour of `make demo` needs: asks before it installs anything; without
#                             a terminal it installs only that; without the right to, the tour goes on
set -eu

tour=no
[ "${1:-}" = "--tour" ] && tour=yes

# command:package
for_tour="cc:gcc javac:openjdk-17-jdk-headless"
for_suites="g++:g++ gdb:gdb lldb:lldb clang:clang mvn:maven chromium:chromium node:nodejs npm:npm objcopy:binutils pgrep:procps valgrind:valgrind dpkg-deb:dpkg zip:zip unzip:unzip"
wanted=$for_tour
[ "$tour" = yes ] || wanted="$for_tour $for_suites"

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
# The table of what the JDK's documentation promises is compared with its sources.
if [ "$tour" = no ] && [ -z "$(find -L /usr/lib/jvm -name src.zip -type f 2>/dev/null | head -1)" ]; then
    missing="$missing src.zip"
    packages="$packages openjdk-17-source"
fi
if ! command -v cargo >/dev/null 2>&1; then
    echo "setup: cargo is missing: install Rust 1.95 or later" >&2
    exit 1
fi

# For checkpoints on disk; the tests of that test the refusal where there is none.
if [ "$tour" = no ]; then
    "$(dirname "$0")/criu.sh" || echo "setup: going on without criu" >&2
fi
# What debug adapters are tested with: a client of the protocol, and Visual Studio Code itself, as the server
# that code-server comes with. Its own modules that would have to be compiled are for terminals and logs only.
clients() {
    [ "$tour" = yes ] && return
    target=$(realpath -m "$(dirname "$0")/../target")
    [ -d "$target/npm/node_modules/@vscode/debugadapter-testsupport" ] ||
        npm install --silent --no-fund --no-audit --prefix "$target/npm" \
            @vscode/debugadapter-testsupport@1.68.0 >/dev/null 2>&1 ||
        echo "setup: npm could not install @vscode/debugadapter-testsupport" >&2
    [ -f "$target/code-server/complete" ] || code_server >/dev/null 2>&1 ||
        echo "setup: npm could not install code-server" >&2
}
code_server() (
    set -e
    rm -rf "$target/code-server"
    mkdir -p "$target/code-server"
    cd "$target/code-server"
    npm pack --silent code-server@4.96.4
    tar -xzf code-server-4.96.4.tgz --strip-components=1
    rm code-server-4.96.4.tgz
    cd lib/vscode
    # It names files of a registry that nobody else has.
    rm -f npm-shrinkwrap.json
    npm install --silent --ignore-scripts --omit=dev --no-fund --no-audit
    touch "$target/code-server/complete"
)
[ -z "$missing" ] && { clients; exit 0; }

may_install=no
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && may_install=yes
if [ $may_install = yes ] && [ "$tour" = yes ] && [ -t 0 ] && [ -t 2 ]; then
    printf 'setup: parts of the tour need%s. Install%s? [Y/n] ' "$missing" "$packages" >&2
    read -r answer || answer=n
    case $answer in
    [Nn]*) may_install=no ;;
    esac
fi
if [ $may_install = yes ]; then
    echo "setup: installing$packages" >&2
    export DEBIAN_FRONTEND=noninteractive
    # Words are split on purpose: these are several packages.
    # shellcheck disable=SC2086
    if apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
        { apt-get update >/dev/null 2>&1 &&
          apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; }; then
        clients
        exit 0
    fi
    echo "setup: apt-get could not install$packages" >&2
fi
echo "setup: missing:$missing; on Debian: apt-get install$packages" >&2
[ "$tour" = yes ] && { echo "setup: going on without: the tour leaves out what needs them" >&2; exit 0; }
exit 1
