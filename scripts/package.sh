#!/bin/sh
# Makes packages of a binary that is built already; `scripts/dist.sh` builds one for old machines first.
#   scripts/package.sh BINARY OUT
# OUT then has, for the version the binary says it is:
#   watchword-VERSION-x86_64-linux.tar.gz    binary, manual pages, completions, licences
#   watchword_VERSION_amd64.deb              the same for Debian and Ubuntu
#   watchword-VERSION.vsix                   the extension for Visual Studio Code
# The binary is packaged as it is: strip it first. Files have the time of the commit, or of
# SOURCE_DATE_EPOCH, so the same inputs make the same packages. COMPRESSION (xz, gzip, none) is that of
# the .deb. Needs dpkg-deb, gzip, tar and zip.
set -eu

usage="usage: scripts/package.sh BINARY OUT"
binary=$(realpath "${1:?$usage}")
mkdir -p "${2:?$usage}"
out=$(realpath "$2")
root=$(cd "$(dirname "$0")/.." && pwd)

for tool in dpkg-deb gzip tar zip; do
    command -v $tool >/dev/null 2>&1 || { echo "package: $tool is missing" >&2; exit 1; }
done

# `watchword 0.1.0 (commit …)`
version=$("$binary" --version | cut -d ' ' -f 2)
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH="$epoch"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# What every package has, laid out as below /usr.
usr=$work/usr
mkdir -p "$usr/bin" "$usr/share/man/man1" "$usr/share/bash-completion/completions" \
    "$usr/share/zsh/vendor-completions" "$usr/share/fish/vendor_completions.d" \
    "$usr/share/doc/watchword"
install -m 755 "$binary" "$usr/bin/watchword"
"$binary" man | gzip -9n >"$usr/share/man/man1/watchword.1.gz"
# The manual page of the whole lists the commands.
commands=$("$binary" man | sed -n 's/^watchword\\-\([a-z\\-]*\)(1)$/\1/p' | tr -d '\\')
[ -n "$commands" ] || { echo "package: the manual page lists no commands" >&2; exit 1; }
for command in $commands; do
    [ "$command" = help ] && continue
    "$binary" man "$command" | gzip -9n >"$usr/share/man/man1/watchword-$command.1.gz"
done
"$binary" completions bash >"$usr/share/bash-completion/completions/watchword"
"$binary" completions zsh >"$usr/share/zsh/vendor-completions/_watchword"
"$binary" completions fish >"$usr/share/fish/vendor_completions.d/watchword.fish"
cp "$root/README.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$usr/share/doc/watchword/"
gzip -9n <"$root/CHANGELOG.md" >"$usr/share/doc/watchword/changelog.gz"
cp -R "$root/examples" "$usr/share/doc/watchword/examples"
# The dependencies and their licences, where they were listed.
[ -f "$out/watchword-$version.spdx.json" ] &&
    gzip -9n <"$out/watchword-$version.spdx.json" >"$usr/share/doc/watchword/dependencies.spdx.json.gz"
chmod -R u=rwX,go=rX "$usr"
find "$usr" -exec touch -h -d "@$epoch" {} +

# An archive to unpack below /usr/local or ~/.local.
name=watchword-$version-x86_64-linux
mkdir "$work/$name"
cp -a "$usr/bin" "$usr/share" "$work/$name/"
touch -d "@$epoch" "$work/$name"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"

# A package for Debian.
deb=$work/deb
mkdir -p "$deb/DEBIAN"
cp -a "$usr" "$deb/usr"
cat >"$deb/usr/share/doc/watchword/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: watchword

Files: *
Copyright: the authors of Watchword
License: MIT or Apache-2.0
 The texts are in LICENSE-MIT and LICENSE-APACHE beside this file; what Watchword is
 made of, and under which licences, is in dependencies.spdx.json.gz.
END
cat >"$deb/DEBIAN/control" <<END
Package: watchword
Version: $version
Architecture: amd64
Maintainer: the authors of Watchword <watchword@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$deb/usr" | cut -f 1)
Depends: libc6 (>= ${OLDEST_GLIBC:-2.28})
Suggests: default-jdk-headless, gdb, criu
Description: finds the exact moment a program breaks its protocol
 Watchword checks properties over events that carry data: on recorded traces and
 logs, on JVM programs while they run, and on native programs with a debugger
 that stops where a property breaks.
END
(cd "$deb" && find usr -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
find "$deb" -exec touch -h -d "@$epoch" {} +
dpkg-deb --root-owner-group -Z"${COMPRESSION:-xz}" --build "$deb" \
    "$out/watchword_${version}_amd64.deb" >/dev/null

# The extension.
"$root/scripts/vsix.sh" "$out"
