# What people and CI run. `make demo` needs nothing but a Rust toolchain and `make`.

CARGO ?= cargo

.PHONY: demo test quick bench soak lint setup build

# A guided tour. Installs what is missing if it may, else says what is missing and goes on.
demo:
	@scripts/setup.sh --optional
	@$(CARGO) build --release --quiet -p watchword
	@$(CARGO) run --release --quiet -p watchword -- demo

build:
	$(CARGO) build --release -p watchword

# Everything. A missing prerequisite is an error: `make setup` installs them.
test: lint
	@scripts/suites.sh all

# Under five minutes; needs neither JDK, debugger nor browser.
quick:
	@scripts/suites.sh quick

# Numbers, with the machine named; see bench/BIAS.md.
bench:
	$(CARGO) build --release -p watchword -p watchword-bench
	$(CARGO) run --release -p watchword-bench

# Long fuzzing.
soak:
	@scripts/suites.sh soak

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

setup:
	@scripts/setup.sh
