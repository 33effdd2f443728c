#!/bin/sh
# Builds what people install, for Linux on x86-64, into target/dist:
#   packages (see scripts/package.sh), the debug information of the binary as a file of its own, a
#   container context that needs no base image, the list of dependencies with their licences (SPDX),
#   and checksums of all of them.
# The binary and the JVM agent inside of it run with glibc 2.28 (2018) or later: they are linked with the
# linker and the stubs of `zig`, which comes from PyPI in fixed versions. Ends with checks of what it made.
#   scripts/dist.sh
# OLD_ROOT, if set, is a folder with an old system in it (made by debootstrap, for instance). The .deb and the
# archive are installed in it, one after the other, and what the README says is typed there (see
# scripts/tour.py); this needs an administrator's rights. PROFILE is cargo's profile (dist).
set -eu

glibc=2.28
zig=0.17.0
zigbuild=0.24.0
largest=25000000

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
dist=$root/target/dist
build=$dist/build
target=x86_64-unknown-linux-gnu
profile=${PROFILE:-dist}

fail() {
    echo "dist: $1" >&2
    exit 1
}
say() { echo "dist: $1" >&2; }

for tool in python3 objcopy readelf dpkg-deb zip sha256sum; do
    command -v $tool >/dev/null 2>&1 || fail "$tool is missing"
done
mkdir -p "$dist"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# The linker, in a folder of its own; nothing is installed.
tools=$build/tools
if [ "$(cat "$tools/versions" 2>/dev/null)" != "$zig $zigbuild" ]; then
    say "fetching zig $zig and cargo-zigbuild $zigbuild"
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check \
        "ziglang==$zig" "cargo-zigbuild==$zigbuild" || fail "PyPI could not be asked"
    echo "$zig $zigbuild" >"$tools/versions"
fi

say "building; the first time this takes some minutes"
PATH="$tools/bin:$PATH" cargo zigbuild --locked --profile "$profile" --package watchword \
    --target "$target.$glibc" --target-dir "$build"
built=$build/$target/$profile/watchword
agent=$build/agent/$target/release/libwatchword_jvm.so

rm -f "$dist"/watchword*
rm -rf "$dist/container"
binary=$dist/watchword
objcopy --only-keep-debug --compress-debug-sections "$built" "$dist/watchword.debug"
objcopy --strip-all "$built" "$binary"
# Debuggers look for watchword.debug beside the binary and in /usr/lib/debug.
(cd "$dist" && objcopy --add-gnu-debuglink=watchword.debug watchword)
version=$("$binary" --version | cut -d ' ' -f 2)

# The newest version of glibc that a file asks for.
newest() {
    readelf --version-info --wide "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2
}
for file in "$binary" "$agent"; do
    needs=$(newest "$file")
    [ -n "$needs" ] || fail "$file asks for no glibc at all"
    [ "$(printf '%s\n' "$needs" $glibc | sort -V | tail -n 1)" = $glibc ] ||
        fail "$file needs glibc $needs, newer than $glibc"
    say "$(basename "$file") needs glibc $needs"
done
size=$(wc -c <"$binary")
[ "$size" -le $largest ] || fail "the binary has $size bytes, more than $largest"
say "the binary has $size bytes"

scripts/spdx.py >"$dist/watchword-$version.spdx.json"
OLDEST_GLIBC=$glibc scripts/package.sh "$binary" "$dist"

# A container needs the binary and the C library; that of this machine is what is at hand.
container=$dist/container
mkdir -p "$container/root/usr/bin" "$container/root/lib64" "$container/root/lib/x86_64-linux-gnu" \
    "$container/root/tmp"
chmod 1777 "$container/root/tmp"
cp "$binary" "$container/root/usr/bin/watchword"
loader=$(readelf --program-headers "$binary" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp -L "$loader" "$container/root/lib64/"
for library in $(readelf --dynamic "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $library in
    ld-linux*) continue ;;
    esac
    found=$(ldconfig -p | sed -n "s|.*$library .*x86-64.* => ||p" | head -n 1)
    [ -n "$found" ] || fail "no $library on this machine, for the container"
    cp -L "$found" "$container/root/lib/x86_64-linux-gnu/$library"
done
cat >"$container/Containerfile" <<'END'
# Watchword and the C library, nothing else: docker build, podman build or buildah build of this folder.
#   docker run --rm -v "$PWD:/work" watchword replay -p access.ww app.log
# To watch JVM programs, take the binary into an image that has a JDK:
#   COPY --from=watchword /usr/bin/watchword /usr/bin/
FROM scratch
COPY root/ /
WORKDIR /work
ENTRYPOINT ["/usr/bin/watchword"]
END
tar -C "$dist" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    -cf - container | gzip -9n >"$dist/watchword-$version-container.tar.gz"

# The first thing that people will do with it, in a root that has nothing else.
trial() {
    where=$1
    shift
    mkdir -p "$where/trial"
    cp examples/properties/login.ww examples/traces/login.bad.log "$where/trial/"
    said=$("$@" replay -q -p /trial/login.ww /trial/login.bad.log 2>&1) && fail "$where: nothing was found"
    case $said in
    violation*) ;;
    *) fail "$where: $said" ;;
    esac
    "$@" --version >/dev/null || fail "$where: it does not say its version"
}
if [ "$(id -u)" = 0 ]; then
    trial "$container/root" chroot "$container/root" /usr/bin/watchword
    rm -rf "$container/root/trial"
    say "the container's root works on its own"
    if [ -n "${OLD_ROOT:-}" ]; then
        debian=$(cat "$OLD_ROOT/etc/debian_version")
        cp "$dist/watchword_${version}_amd64.deb" "$OLD_ROOT/tmp/watchword.deb"
        chroot "$OLD_ROOT" dpkg -i /tmp/watchword.deb >/dev/null || fail "dpkg refuses the package"
        scripts/tour.py "$OLD_ROOT" || fail "the package does not do what the README says in Debian $debian"
        chroot "$OLD_ROOT" dpkg -P watchword >/dev/null || fail "dpkg does not remove the package"
        tar -C "$OLD_ROOT/usr/local" --strip-components=1 -xzf "$dist/watchword-$version-x86_64-linux.tar.gz"
        scripts/tour.py "$OLD_ROOT" || fail "the archive does not do what the README says in Debian $debian"
        tar -tzf "$dist/watchword-$version-x86_64-linux.tar.gz" | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' |
            (cd "$OLD_ROOT/usr/local" && xargs rm -f)
        say "package and archive work in $OLD_ROOT, Debian $debian"
    fi
else
    say "not root: the container and OLD_ROOT were not tried"
fi
dpkg-deb --contents "$dist/watchword_${version}_amd64.deb" | grep -q './usr/share/man/man1/watchword-replay.1.gz' ||
    fail "the package has no manual pages"

(cd "$dist" && sha256sum watchword.debug watchword-* watchword_* >SHA256SUMS)
(cd "$dist" && sha256sum --quiet --check SHA256SUMS)
ls -l "$dist" | sed -n 's/^-[^ ]* *[^ ]* *[^ ]* *[^ ]* *\([0-9]*\) .* \(.*\)$/\1 \2/p' >&2
