//! What `scripts/package.sh` makes of a binary: what people install.

use std::process::Command;

use serde_json::Value;

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
    let archive = at(&format!("out/{name}.tar.gz"));
    let listed = said("tar", &["-tzf", &archive]).unwrap();
    assert!(listed.contains(&format!("{name}/bin/watchword\n")), "{listed}");
    assert!(listed.contains(&format!("{name}/share/man/man1/watchword.1.gz\n")), "{listed}");

    // What is unpacked works, on the examples that are in it.
    said("tar", &["-xzf", &archive, "-C", &at("")]).unwrap();
    said("dpkg-deb", &["--extract", &deb, &at("deb")]).unwrap();
    for usr in [name, "deb/usr".to_string()] {
        let examples = format!("{usr}/share/doc/watchword/examples");
        let told = Command::new(at(&format!("{usr}/bin/watchword")))
            .args(["replay", "-q", "-p", &at(&format!("{examples}/properties/login.ww"))])
            .arg(at(&format!("{examples}/traces/login.bad.log")))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&told.stdout);
        assert!(said.starts_with("violation: "), "{usr}: {said}");
        assert_eq!(told.status.code(), Some(1), "{usr}");
    }

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
    // An editor refuses a package that has files of a kind it is not told of.
    let types = said("unzip", &["-p", &vsix, "[[]Content_Types].xml"]).unwrap();
    for file in listed.lines().filter(|file| *file != "[Content_Types].xml") {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension).unwrap();
        assert!(types.contains(&format!("Extension=\".{extension}\"")), "{file}\n{types}");
    }
    // What the manifests name is in the package.
    let package = said("unzip", &["-p", &vsix, "extension/package.json"]).unwrap();
    let package: Value = serde_json::from_str(&package).unwrap();
    let grammar = &package["contributes"]["grammars"][0]["path"];
    let named = [package["main"].as_str().unwrap(), grammar.as_str().unwrap()];
    let assets = manifest.split(" Path=\"").skip(1).map(|part| part.split('"').next().unwrap());
    let named = named.map(|path| format!("extension/{}", path.trim_start_matches("./")));
    for path in named.iter().map(String::as_str).chain(assets) {
        assert!(listed.lines().any(|line| line == path), "{path}\n{listed}");
    }
}

/// `cargo package` has nothing to say about the libraries: they are described, and what they need can
/// be had from a registry. Nothing is compiled.
#[test]
fn libraries_can_be_packaged() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |args: &[&str]| {
        let mut command = Command::new(&cargo);
        let told = command.args(args).arg("--offline").current_dir(root()).output().unwrap();
        let errors = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(told.status.success(), "cargo {args:?}: {errors}");
        (String::from_utf8(told.stdout).unwrap(), errors)
    };
    let (metadata, _) = run(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let dir = Dir::new();
    let target = dir.path().join("target").display().to_string();
    let mut args = vec!["package", "--no-verify", "--allow-dirty", "--target-dir", &target];
    let mut private = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        // `publish = false` is an empty list of registries.
        match package["publish"].is_null() {
            true => args.extend(["--package", name]),
            false => private.push(name),
        }
    }
    private.sort_unstable();
    let expected = ["", "-bench", "-book", "-cases", "-flink", "-testing"];
    assert_eq!(private, expected.map(|name| format!("watchword{name}")));
    let (_, said) = run(&args);
    assert!(!said.contains("warning"), "{said}");
    let made = std::fs::read_dir(dir.path().join("target/package")).unwrap().flatten();
    let made = made.filter(|e| e.path().extension().is_some_and(|e| e == "crate")).count();
    assert_eq!(made, packages.len() - private.len(), "{said}");
    // Pages of diagnostics are the book's; the package has them, too.
    let (listed, _) = run(&["package", "--list", "--allow-dirty", "--package", "watchword-spec"]);
    assert!(listed.contains("diagnostics/WW0101.md"), "{listed}");
}
