#!/bin/sh
# The ten-minute test: from a fresh clone, as the README says, to three planted bugs found. Prints
# how long each step took, and fails if a bug was not found.
#   scripts/ten-minutes.sh [FOLDER]
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
clone=$folder/watchword

now() { date +%s; }
step() {
    name=$1
    shift
    start=$(now)
    "$@"
    echo "$name: $(($(now) - start)) s"
}
# Runs a command and expects a word in what it says.
finds() {
    wanted=$1
    shift
    said=$("$@" 2>&1) || true
    case $said in
    *"$wanted"*) ;;
    *)
        echo "$said" >&2
        echo "not found: $wanted" >&2
        exit 1
        ;;
    esac
}
build() {
    git clone --quiet "$here" "$clone"
    cd "$clone"
    make --silent build
    PATH="$clone/target/release:$PATH"
    export PATH
}
log() {
    finds "with id = 1" watchword replay -p std/reply examples/traces/reply.bad.jsonl
}
java_program() {
    javac -g -d classes examples/java/programs/ListBad.java
    finds "violation: SafeListIterator" \
        watchword java -p examples/java/safe-list-iterator.ww -- -cp classes ListBad
}
native_program() {
    cc -g -pthread examples/native/queue.c -o ./queue
    finds "violation: NoOverflow" watchword run -p examples/native/queue.ww -- ./queue 5 20 3
}

all=$(now)
step "build" build
cd "$clone"
PATH="$clone/target/release:$PATH"
export PATH
step "a missing reply in a log" log
step "an iterator bug in a Java program" java_program
step "a queue overflow in a C program" native_program
echo "all of it: $(($(now) - all)) s"
