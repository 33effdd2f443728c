#!/bin/sh
# Runs test suites one after the other and prints how long each took.
#   scripts/suites.sh quick | all | soak
set -u

cargo=${CARGO:-cargo}
failed=""
summary=""

suite() {
    name=$1
    shift
    echo "== $name: $*"
    start=$(date +%s)
    if "$@"; then result=ok; else result=FAILED; failed="$failed $name"; fi
    took=$(($(date +%s) - start))
    summary="$summary
  $result	${took}s	$name"
}

finish() {
    echo "== suites$summary"
    [ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
}

# One suite per package, so that times are told apart and a slow one is seen.
packages() {
    for manifest in crates/*/Cargo.toml; do
        sed -n 's/^name = "\(watchword[a-z-]*\)"$/\1/p' "$manifest" | head -n 1
    done
}

# Packages whose integration tests need a JDK or a compiler and a debugger.
with_tools="watchword-classfile watchword-debug watchword-jvm watchword-weave"

case ${1:-quick} in
quick)
    for package in $(packages); do
        case " $with_tools " in
        *" $package "*) suite "$package (without tools)" "$cargo" test --quiet -p "$package" --lib ;;
        *) suite "$package" "$cargo" test --quiet -p "$package" ;;
        esac
    done
    ;;
all)
    suite setup scripts/setup.sh
    suite build "$cargo" test --workspace --no-run --quiet
    for package in $(packages); do
        suite "$package" "$cargo" test --quiet -p "$package"
    done
    suite "cases have teeth" "$cargo" test --quiet -p watchword-cases --features mutants --test mutants
    suite documentation env RUSTDOCFLAGS="-D warnings" "$cargo" doc --workspace --no-deps --quiet
    ;;
soak)
    export WATCHWORD_SOAK=1
    export WATCHWORD_FUZZ=${WATCHWORD_FUZZ:-5000000}
    suite readers "$cargo" test --release --quiet -p watchword --test cli fuzz
    suite monitor "$cargo" test --release --quiet -p watchword-monitor
    suite spec "$cargo" test --release --quiet -p watchword-spec
    ;;
*)
    echo "usage: scripts/suites.sh quick|all|soak" >&2
    exit 2
    ;;
esac
finish
