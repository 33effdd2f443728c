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

packages() {
    for manifest in crates/*/Cargo.toml; do
        sed -n 's/^name = "\(watchword[a-z-]*\)"$/\1/p' "$manifest" | head -n 1
    done
}

# Packages whose tests need a JDK, or a compiler and a debugger; their own unit tests are run by
# `make test`.
with_tools="watchword-classfile watchword-weave watchword-residual watchword-jvm watchword-debug watchword-inject watchword-native watchword-session watchword-remote watchword-dap watchword-live watchword-view watchword-flink"

# `-p` and a name for every package that needs no tools.
without_tools() {
    for package in $(packages); do
        case " $with_tools " in
        *" $package "*) ;;
        *) printf -- '-p %s ' "$package" ;;
        esac
    done
}

case ${1:-quick} in
quick)
    # One call, so that everything is compiled once and side by side; nothing is optimised, the
    # JVM agent is left out, there is little fuzzing, and tools that are missing are no error.
    unset CI
    export WATCHWORD_FUZZ=${WATCHWORD_FUZZ:-1000} WATCHWORD_AGENT=
    # Frames are large where nothing is optimised; the command itself has this much.
    export RUST_MIN_STACK=8388608
    # shellcheck disable=SC2046
    suite build "$cargo" test --profile quick --no-run --quiet $(without_tools) --lib --bins --tests
    # shellcheck disable=SC2046
    suite tests "$cargo" test --profile quick --quiet $(without_tools) --lib --bins --tests -- --skip native::
    ;;
all)
    suite setup scripts/setup.sh
    suite build "$cargo" test --workspace --no-run --quiet
    # One suite per package, so that times are told apart and a slow one is seen.
    for package in $(packages); do
        suite "$package" "$cargo" test --quiet --no-fail-fast -p "$package"
    done
    # All projects take about an hour: `make projects`.
    suite "a project of others" "$cargo" run --quiet -p watchword-bench -- --project-of-today
    suite "cases have teeth" "$cargo" test --quiet -p watchword-cases --features mutants --test mutants
    suite documentation env RUSTDOCFLAGS="-D warnings" "$cargo" doc --workspace --no-deps --quiet
    ;;
soak)
    # Rounds of every fuzz test; `make test` runs some thousands.
    export WATCHWORD_SOAK=1
    export WATCHWORD_FUZZ=${WATCHWORD_FUZZ:-300000}
    export RESIDUAL_SOAK=${RESIDUAL_SOAK:-100000}
    suite readers "$cargo" test --release --quiet -p watchword-trace
    suite commands "$cargo" test --release --quiet -p watchword --test cli -- anything
    suite monitor "$cargo" test --release --quiet -p watchword-monitor --test it
    suite "10^8 events" "$cargo" run --release --quiet -p watchword-monitor --example soak
    suite spec "$cargo" test --release --quiet -p watchword-spec
    suite "residuals of properties" "$cargo" test --release --quiet -p watchword-residual --test it date::
    suite debug "$cargo" test --release --quiet -p watchword-debug --test it
    suite native "$cargo" test --release --quiet -p watchword-native --test it
    suite prompt "$cargo" test --release --quiet -p watchword --test cli native
    suite "packets of debuggers" "$cargo" test --release --quiet -p watchword-remote --test it
    suite "messages of editors" "$cargo" test --release --quiet -p watchword-dap --test it
    suite residual "$cargo" test --release --quiet -p watchword-residual --test it random
    suite "java programs" "$cargo" test --release --quiet -p watchword --test cli residual::random
    suite "programs of others" "$cargo" test --release --quiet -p watchword --test cli strangers
    suite "directed java programs" "$cargo" test --release --quiet -p watchword --test cli residual::directed
    ;;
*)
    echo "usage: scripts/suites.sh quick|all|soak" >&2
    exit 2
    ;;
esac
finish
