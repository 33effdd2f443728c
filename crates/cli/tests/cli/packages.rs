//! What `scripts/package.sh` makes of a binary: what people install.

use std::process::Command;

use crate::support::{Dir, binary, root};

/// What a command says, if it is there and succeeds.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let told = Command::new(program).args(args).output().ok()?;
    let errors = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.status.success(), "{program} {args:?}: {errors}");
    Some(String::from_utf8_lossy(&told.stdout).into_owned())
}

/// Whether the packages can be made; in CI they must be.
fn has_tools() -> bool {
    let tools = ["dpkg-deb", "zip", "unzip", "objcopy"];
    let is_missing = |tool: &&str| Command::new(tool).arg("--version").output().is_err();
    let missing: Vec<&str> = tools.into_iter().filter(is_missing).collect();
    assert!(missing.is_empty() || std::env::var_os("CI").is_none(), "missing: {missing:?}");
    if !missing.is_empty() {
        eprintln!("left out: no {}", missing.join(", "));
    }
    missing.is_empty()
}

#[test]
fn packages_hold_what_people_install() {
    if !has_tools() {
        return;
    }
    let dir = Dir::new();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    said("objcopy", &["--strip-all", binary(), &at("watchword")]);
    let script = root().join("scripts/package.sh");
    let made = Command::new(script)
        .args([at("watchword"), at("out")])
        .env("COMPRESSION", "none")
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let version = env!("CARGO_PKG_VERSION");

    let deb = at(&format!("out/watchword_{version}_amd64.deb"));
    let listed = said("dpkg-deb", &["--contents", &deb]).unwrap();
    let help = dir.run(&["--help"]).expect(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(commands.len() > 15, "{help}");
    for command in commands {
        let page = format!("./usr/share/man/man1/watchword-{command}.1.gz");
        assert!(listed.contains(&page), "{page}\n{listed}");
    }
    for file in [
        "bin/watchword",
        "share/man/man1/watchword.1.gz",
        "share/bash-completion/completions/watchword",
        "share/zsh/vendor-completions/_watchword",
        "share/fish/vendor_completions.d/watchword.fish",
        "share/doc/watchword/copyright",
        "share/doc/watchword/LICENSE-MIT",
    ] {
        let line = listed.lines().find(|line| line.ends_with(&format!(" ./usr/{file}")));
        let line = line.unwrap_or_else(|| panic!("{file} is not in the package:\n{listed}"));
        assert!(line.contains("root/root") && line.contains("2023-11-14"), "{line}");
    }
    let control = said("dpkg-deb", &["--field", &deb]).unwrap();
    assert!(control.contains(&format!("Version: {version}\n")), "{control}");
    assert!(control.contains("Depends: libc6 (>= 2.28)"), "{control}");

    let name = format!("watchword-{version}-x86_64-linux");
    let listed = said("tar", &["-tzf", &at(&format!("out/{name}.tar.gz"))]).unwrap();
    assert!(listed.contains(&format!("{name}/bin/watchword\n")), "{listed}");
    assert!(listed.contains(&format!("{name}/share/man/man1/watchword.1.gz\n")), "{listed}");

    let vsix = at(&format!("out/watchword-{version}.vsix"));
    let manifest = said("unzip", &["-p", &vsix, "extension.vsixmanifest"]).unwrap();
    let identity = format!("Id=\"watchword\" Version=\"{version}\" Publisher=\"watchword\"");
    assert!(manifest.contains(&identity), "{manifest}");
    let listed = said("unzip", &["-Z1", &vsix]).unwrap();
    // Everything that the extension loads, and no tests.
    for file in ["package.json", "extension.js", "client.js", "language-configuration.json"] {
        assert!(listed.lines().any(|line| line == format!("extension/{file}")), "{listed}");
    }
    assert!(!listed.contains("test"), "{listed}");
}
