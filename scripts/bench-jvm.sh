#!/bin/sh
# Installs the applications that `make bench-jvm` runs, if it may; else says which are missing.
# Always succeeds: what is missing is left out of the tables, by name.
set -u

packages="openjdk-17-jdk-headless closure-compiler checkstyle plantuml libpdfbox2-java libh2-java fop \
libjgrapht-java jython aspectj libtomcat9-java libargs4j-java libguava-java libsaxonhe-java \
librhino-java ant libxalan2-java libbcprov-java libbcpkix-java"

# PMD is not a package; Maven may have it, or may get it.
if command -v mvn >/dev/null 2>&1 && [ ! -f "$HOME/.m2/repository/pmd/pmd/4.2.5/pmd-4.2.5.jar" ]; then
    mvn -q dependency:get -Dartifact=pmd:pmd:4.2.5 >/dev/null 2>&1 ||
        echo "bench-jvm: could not get PMD 4.2.5" >&2
fi

missing=""
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "bench-jvm: installing$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # Words are split on purpose: these are several packages.
    # shellcheck disable=SC2086
    apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 ||
        { apt-get update >/dev/null 2>&1 &&
          apt-get install -y --no-install-recommends $missing >/dev/null 2>&1; } ||
        echo "bench-jvm: could not install$missing" >&2
else
    echo "bench-jvm: not installed:$missing" >&2
fi
exit 0
