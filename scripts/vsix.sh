#!/bin/sh
# Packages the extension for Visual Studio Code; nothing is built.
#   scripts/vsix.sh OUT
# makes OUT/watchword-VERSION.vsix, of the version that editors/vscode/package.json says. Files have the time
# of the commit, or of SOURCE_DATE_EPOCH, so the same inputs make the same package. Needs zip.
set -eu

mkdir -p "${1:?usage: scripts/vsix.sh OUT}"
out=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
command -v zip >/dev/null 2>&1 || { echo "vsix: zip is missing" >&2; exit 1; }

epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# A ZIP file with a manifest that Visual Studio Code asks for.
vsix=$work/vsix
mkdir -p "$vsix/extension"
cp -R "$root/editors/vscode/." "$vsix/extension/"
rm -rf "$vsix/extension/test"
cp "$root/LICENSE-MIT" "$vsix/extension/LICENSE.txt"
cp "$root/docs/editors.md" "$vsix/extension/README.md"
chmod -R u=rwX,go=rX "$vsix"
field() { sed -n "s/^  \"$1\": \"\(.*\)\",\$/\1/p" "$root/editors/vscode/package.json"; }
cat >"$vsix/extension.vsixmanifest" <<END
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="$(field name)" Version="$(field version)" Publisher="$(field publisher)"/>
    <DisplayName>$(field displayName)</DisplayName>
    <Description xml:space="preserve">$(field description)</Description>
    <Categories>Programming Languages,Linters,Formatters</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="$(sed -n 's/.*"vscode": "\([^"]*\)".*/\1/p' "$root/editors/vscode/package.json")"/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
END
cat >"$vsix/[Content_Types].xml" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
END
find "$vsix" -exec touch -h -d "@$epoch" {} +
version=$(field version)
rm -f "$out/watchword-$version.vsix"
# ZIP files have local times.
(cd "$vsix" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -X "$out/watchword-$version.vsix" -@)
