#!/bin/sh
# Makes sure there is a criu that works here, for checkpoints on disk. Where the installed one fails its
# own check, that of a later Debian is fetched, with the libraries it needs, into a folder of its own
# where watchword looks for it; nothing is installed.
#   scripts/criu.sh            does that, or fails and says why
#   scripts/criu.sh SUITE      takes it from this suite of Debian
set -eu

suite=${1:-trixie}
place=${XDG_CACHE_HOME:-$HOME/.cache}/watchword/criu

passes() {
    command -v "$1" >/dev/null 2>&1 && "$1" check >/dev/null 2>&1
}

fail() {
    echo "criu: $1" >&2
    exit 1
}

passes "${WATCHWORD_CRIU:-criu}" && exit 0
passes "$place/criu" && exit 0
[ "$(id -u)" = 0 ] || fail "it needs an administrator's rights: run this as root"
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null 2>&1 || fail "no $tool to fetch one with"
done

# The mirror this machine uses.
# shellcheck disable=SC2016  # the words are apt's
site=$(apt-get indextargets --format '$(ORIGIN) $(SITE)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's/^Debian //p' | grep -v -e '-security' | head -n 1)
[ -n "$site" ] || fail "this machine's packages are not Debian's"

mkdir -p "$(dirname "$place")"
work=$(mktemp -d "$place.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/new/root"
: >"$work/status"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
signed=
[ -f $keys ] && signed="[signed-by=$keys] "
echo "deb $signed$site $suite main" >"$work/list"

# An apt of its own: no list, state or package of the machine is touched.
own_apt() {
    apt-get -qq -o Dir::Etc::SourceList="$work/list" -o Dir::Etc::SourceParts="$work/parts" \
        -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@" >/dev/null
}

echo "criu: fetching one of Debian's $suite into $place" >&2
own_apt update || fail "cannot read the list of packages"
own_apt install -y --no-install-recommends --download-only criu || fail "cannot fetch it"
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$work/new/root"
done

# With its own libraries, down to the loader.
cat >"$work/new/criu" <<'END'
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
loader=$(echo "$root"/usr/lib*/ld-linux-*.so.*)
exec "${loader%% *}" --library-path "$root/usr/lib/$(uname -m)-linux-gnu" "$root/usr/sbin/criu" "$@"
END
chmod +x "$work/new/criu"
passes "$work/new/criu" || fail "that of $suite does not pass its check here either"
rm -rf "$place"
mv "$work/new" "$place"
