# What people and CI run. `make demo` needs nothing but a Rust toolchain and `make`.

CARGO ?= cargo
# Started where it was built: `cargo run` would build it again, with other features of what it uses.
watchword-bench = $(or $(CARGO_TARGET_DIR),target)/release/watchword-bench

.PHONY: demo dist test quick bench bench-duckdb bench-native bench-date bench-jvm bench-residual projects soak lint setup build book

# A guided tour. Asks before it installs what the tour needs and goes on without it. Built to be ready
# soon, not to be fast: the agent is made of what the program is made of, where `make build` makes it anew.
demo-target = $(abspath $(or $(CARGO_TARGET_DIR),target))/demo
demo:
	@scripts/setup.sh --tour
	@echo "Building; the first time this takes some minutes."
	@$(CARGO) build --profile demo -p watchword-jvm -p watchword-residual -p watchword-native -p watchword-lsp
	@WATCHWORD_AGENT=$(demo-target)/libwatchword_jvm.so $(CARGO) build --profile demo -p watchword
	@$(demo-target)/watchword demo

# Packages for Linux on x86-64 in target/dist: .deb, .tar.gz, .vsix, a container context, checksums.
dist:
	@scripts/dist.sh

build:
	$(CARGO) build --release -p watchword

# Everything. A missing prerequisite is an error: `make setup` installs them.
test: lint
	@scripts/suites.sh all

# Under five minutes; needs neither JDK, debugger nor browser.
quick:
	@scripts/suites.sh quick

# Numbers, with the machine named, also in target/bench/results.md; see bench/BIAS.md.
# The peer is built once; without a registry its rows are left out.
peer = target/peers/bin/rtlola-cli
bench:
	@test -x $(peer) || $(CARGO) install --quiet rtlola-cli --version 0.1.2 --locked --root target/peers \
		|| echo "rtlola-cli could not be installed; its rows are left out"
	$(CARGO) build --release -p watchword -p watchword-bench
	@$(watchword-bench) target/bench/results.md

# Windows and joins beside DuckDB, whose Python package is installed under target/peers; also in
# target/bench/duckdb.md.
duckdb = target/peers/duckdb
bench-duckdb:
	@test -x $(duckdb)/bin/python || { python3 -m venv $(duckdb) && $(duckdb)/bin/pip install --quiet duckdb==2.0.0; }
	$(CARGO) build --release -p watchword
	@mkdir -p target/bench
	@$(duckdb)/bin/python scripts/bench-duckdb.py target/release/watchword 3 target/bench/duckdb.md

# What an event of a native program costs inside it and by breakpoints, beside GDB; also in
# target/bench/native.md.
bench-native:
	$(CARGO) build --release -p watchword
	@mkdir -p target/bench
	@scripts/bench-native.py 5 target/bench/native.md

# A property's residuals on a payment system, at seven sizes; needs a JDK.
bench-date:
	$(CARGO) build --release -p watchword -p watchword-bench
	@$(watchword-bench) --date

# Nine JVM applications, RUNS interleaved runs each (about two hours with 15); their packages are
# installed if that is allowed, and left out by name if not. APPS="jgrapht h2 attach" measures only
# these, of the applications and the tables growth, attach and topl. Rows are in the file as they come.
RUNS ?= 15
export APPS
bench-jvm:
	@scripts/bench-jvm.sh
	$(CARGO) build --release -p watchword -p watchword-bench
	@$(watchword-bench) --jvm $(RUNS) target/bench/jvm.md

# What residual analysis leaves of programs of the system, RESIDUAL_RUNS interleaved runs each;
# PROGRAMS names some of them, or tables (sites, analysis, cost): see docs/residual.md.
RESIDUAL_RUNS ?= 3
PROGRAMS ?=
bench-residual:
	@scripts/bench-jvm.sh
	$(CARGO) build --release -p watchword -p watchword-bench
	@$(watchword-bench) --residual $(RESIDUAL_RUNS) $(PROGRAMS)

# Programs that nobody here wrote, with their own tests, alone and under std/jdk, on every JDK of the
# machine: docs/projects.md. PROJECTS names some of them; all take about an hour.
PROJECTS ?=
projects:
	$(CARGO) build --release -p watchword -p watchword-bench
	@$(watchword-bench) --projects $(PROJECTS)

# Long fuzzing, and one run of 10^8 events.
soak:
	@scripts/suites.sh soak

# The book as a web site, its links checked: target/book/index.html.
book:
	@$(CARGO) run --quiet -p watchword-book -- . target/book

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

setup:
	@scripts/setup.sh
