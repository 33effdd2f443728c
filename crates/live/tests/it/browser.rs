//! The page in Chromium: nothing goes wrong, and names are names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use watchword_live::{Live, Server};

use crate::support::{HOSTILE, play};

/// A browser; without one the test is skipped, by name, but not in CI.
fn browser(test: &str) -> Option<&'static str> {
    let works = |name: &&str| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|n| works(n));
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs chromium");
        eprintln!("skipped {test}: there is no chromium");
    }
    found
}

fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("live-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The page as the browser has it, and what it complained about.
fn open(browser: &str, folder: &Path, address: &str, args: &[&str]) -> (String, Vec<String>) {
    let output = Command::new("timeout")
        .args(["60", browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(args)
        .arg(address)
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_string)
        .collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), complaints)
}

fn check(dom: &str, complaints: &[String]) {
    assert!(complaints.is_empty(), "{complaints:?}");
    // What the person sees: the states, the slices, the verdict, all of it as text.
    for shown in ["Twice", "Closed", "Open", "opened twice", "a.c:3 (main)", "2 slices|3 slices"] {
        assert!(shown.split('|').any(|s| dom.contains(s)), "no {shown} in {dom}");
    }
    assert!(dom.contains("class=\"ww-node ww-bad ww-lit\""), "the bad state is not lit: {dom}");
    assert!(!dom.contains("<img"), "a name was taken for markup");
    assert!(!dom.contains("<title>owned"), "a name was run");
    assert!(dom.contains("&lt;img src=x"), "the name is not shown: {HOSTILE}");
}

#[test]
fn a_recording_shows_the_session_at_every_width() {
    let Some(browser) = browser("a_recording_shows_the_session_at_every_width") else { return };
    let mut live = Live::new();
    live.record();
    play(&mut live);
    live.end();
    let folder = folder("recording");
    let page = folder.join("page.html");
    std::fs::write(&page, live.recording()).unwrap();
    let address = format!("file://{}", page.display());
    for size in ["1280,800", "390,844"] {
        let (dom, complaints) =
            open(browser, &folder, &address, &[&format!("--window-size={size}")]);
        check(&dom, &complaints);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_live_page_shows_the_session() {
    let Some(browser) = browser("a_live_page_shows_the_session") else { return };
    let mut live = Live::new();
    play(&mut live);
    let server = Server::start(&live, 0, None).unwrap();
    // The connection ends with the session: then the browser has everything.
    live.end();
    let folder = folder("page");
    let (dom, complaints) =
        open(browser, &folder, server.address(), &["--virtual-time-budget=4000"]);
    check(&dom, &complaints);
    assert!(dom.contains("the session is over"), "{dom}");
    let _ = std::fs::remove_dir_all(&folder);
}
