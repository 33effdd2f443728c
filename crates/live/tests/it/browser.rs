//! The page in Chromium: nothing goes wrong, and names are names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use watchword_live::{Live, Server};
use watchword_session::{Checkpointed, Client, Happening, Place, Request, Selected, Slice, Slices};
use watchword_testing::{Browser, alone, browser};

use crate::server::Asked;
use crate::support::{HOSTILE, binding, load, moved, play};

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
    let _alone = alone();
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
    let _alone = alone();
    let mut live = Live::new();
    play(&mut live);
    let server = Server::start(&live, 0, None).unwrap();
    // The connection ends with the session: then the browser has everything.
    live.end();
    let folder = folder("page");
    let (dom, complaints) =
        open(browser, &folder, server.address(), &["--virtual-time-budget=4000"]);
    check(&dom, &complaints);
    assert!(dom.contains("the session has ended"), "{dom}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// A checkpoint, and the frame the program is stopped in.
fn stop(live: &mut Live) {
    live.happened(&Happening::Checkpointed(Checkpointed {
        number: 1,
        label: Some(HOSTILE.into()),
        place: "main (a.c:3)".into(),
        by_scenario: false,
        text: String::new(),
    }));
    live.happened(&Happening::Stopped(watchword_session::Stop {
        reason: watchword_session::StopReason::Violation,
        points: Vec::new(),
        thread: 1,
        place: Place::default(),
        text: "main () at a.c:3".into(),
    }));
    live.happened(&Happening::Selected(Selected {
        place: Place { function: Some("main".into()), file: Some("a.c".into()), line: Some(3) },
        variables: vec![("count".into(), "7".into()), (HOSTILE.into(), HOSTILE.into())],
    }));
}

#[test]
fn a_person_with_a_keyboard_does_everything() {
    let Some(name) = browser("a_person_with_a_keyboard_does_everything") else { return };
    let _alone = alone();
    let mut live = Live::new();
    play(&mut live);
    stop(&mut live);
    let (sender, asked) = channel();
    let server = Server::start(&live, 0, Some(Box::new(Asked(sender)))).unwrap();
    let folder = folder("keys");
    let mut browser = Browser::start(name, &folder);
    let page = browser.open(server.address(), 1280, 800);
    for text in ["Twice", "opened twice", "count", "main () at a.c:3", "a.c:3 (main)"] {
        browser.wait_for(&page, text);
    }
    assert_eq!(browser.value(&page, "document.querySelectorAll('img').length"), 0);
    assert_eq!(browser.value(&page, "document.title"), "Watchword");
    // Keys are buttons.
    let requests = [
        ("c", Request::Continue),
        ("n", Request::Next),
        ("s", Request::Step),
        ("f", Request::Finish),
        ("k", Request::Checkpoint { label: None }),
        ("r", Request::Restore { number: Some(1) }),
    ];
    for (key, request) in requests {
        browser.press(&page, key);
        assert_eq!(asked.recv_timeout(Duration::from_secs(20)).unwrap(), Some(request));
    }
    // The filter, by `/`; typing into it is no command.
    browser.press(&page, "/");
    for key in ["a", ".", "t"] {
        browser.press(&page, key);
    }
    browser.wait(&page, "document.querySelectorAll('#rows tr').length === 1");
    assert!(asked.try_recv().is_err(), "a letter in the filter was a command");
    browser.press(&page, "Escape");
    // A slice is chosen with the arrows and the enter key, and put into another state.
    browser.value(&page, "document.querySelector('#rows tr').focus()");
    browser.press(&page, "Enter");
    browser.wait(&page, "document.querySelector('#legend').textContent.includes('Twice')");
    browser.wait(&page, "!document.querySelector('#setting').hidden");
    browser.value(&page, "document.querySelector('#states').value = 'Closed'");
    browser.value(&page, "document.querySelector('#setting button').click()");
    let (property, state) = ("Files".to_string(), "Closed".to_string());
    let set = Request::SetState { property, binding: "f = \"a.txt\"".into(), state };
    assert_eq!(asked.recv_timeout(Duration::from_secs(20)).unwrap(), Some(set));
    // The list of keys.
    browser.press(&page, "?");
    browser.wait(&page, "document.querySelector('#help').open");
    browser.press(&page, "c");
    browser.press(&page, "Escape");
    browser.wait(&page, "!document.querySelector('#help').open");
    assert!(asked.try_recv().is_err(), "a key went through the list");
    // Back in time, and to what happens.
    browser.press(&page, "ArrowLeft");
    browser.wait(&page, "!document.querySelector('#live').hidden");
    browser.press(&page, "l");
    browser.wait(&page, "document.querySelector('#live').hidden");
    // The mark of the checkpoint goes back to it.
    browser.wait(&page, "document.querySelectorAll('#marks button').length === 1");
    // A program that runs can only be paused.
    live.happened(&Happening::Running);
    browser.wait(&page, "document.querySelector('[data-request=continue]').disabled");
    browser.press(&page, "c");
    browser.press(&page, "p");
    assert_eq!(asked.recv_timeout(Duration::from_secs(20)).unwrap(), None);
    assert!(asked.try_recv().is_err());
    browser.check(server.address());
    drop(browser);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn what_is_gone_is_not_offered_and_what_is_not_listed_is_counted() {
    let test = "what_is_gone_is_not_offered_and_what_is_not_listed_is_counted";
    // Needs a browser; `browser` says so where there is none, and fails under CI.
    let Some(name) = browser(test) else { return };
    let _alone = alone();
    let mut live = Live::new();
    play(&mut live);
    let server = Server::start(&live, 0, None).unwrap();
    let folder = folder("gone");
    let mut browser = Browser::start(name, &folder);
    let page = browser.open(server.address(), 1280, 800);
    browser.wait_for(&page, "opened twice");
    let count = |text: &str| format!("document.querySelector('#count').textContent === '{text}'");

    // More instances than are listed.
    for i in 0..5000 {
        live.happened(&moved(&format!("{i}.txt"), "Closed", "Open", i));
    }
    browser.wait(&page, &count("5003 slices, 4703 not listed"));
    let legend = "document.querySelector('#legend').textContent.includes('are not counted')";
    browser.wait(&page, legend);
    let (monitor, property) = (1, "Files".to_string());
    live.happened(&Happening::Counted { monitor, property: property.clone(), total: 4000 });
    browser.wait(&page, &count("4000 slices, 3700 not listed"));

    // Variables are those of the last stop, or none.
    let limit = vec![("limit".to_string(), watchword_model::Value::Int(3))];
    let slice = Slice { binding: binding("a.txt"), state: Some("Open".into()), variables: limit };
    live.happened(&Happening::Slices(Slices { monitor, property, total: 1, slices: vec![slice] }));
    browser.wait(&page, &count("1 slice"));
    browser.wait(&page, "document.querySelector('#rows').textContent.includes('limit = 3')");
    live.happened(&moved("a.txt", "Open", "Twice", 5001));
    browser.wait(&page, "document.querySelector('#rows').textContent.includes('Twice')");
    let cell = "document.querySelector('#rows tr').children[2].textContent";
    assert_eq!(browser.value(&page, cell), "");

    // Checkpoints that were deleted, or went with the program.
    for number in 1..=3 {
        live.happened(&Happening::Checkpointed(Checkpointed {
            number,
            label: None,
            place: "main (a.c:3)".into(),
            by_scenario: false,
            text: String::new(),
        }));
    }
    browser.wait(&page, "document.querySelectorAll('#checkpoints option').length === 3");
    live.happened(&Happening::Forgotten { numbers: vec![1, 3] });
    browser.wait(&page, "document.querySelector('#checkpoints').textContent === '2: main (a.c:3)'");

    // A property that is not watched any more: what it did is still told in its words.
    let first = "document.querySelector('#events li .where').textContent";
    let before = browser.value(&page, first);
    assert_eq!(before, "Open → Twice");
    live.happened(&Happening::Unloaded { monitor: 1 });
    browser
        .wait(&page, "document.querySelector('#graph').textContent === 'No property is loaded.'");
    assert_eq!(browser.value(&page, first), before);
    let mut other =
        "event tick(n: int)\nproperty Sixty(n) {\n  start state S0 { on tick(n) -> S1 }\n"
            .to_string();
    for i in 1..59 {
        other.push_str(&format!("  state S{i} {{ on tick(n) -> S{} }}\n", i + 1));
    }
    other.push_str("  bad state S59\n}\n");
    let (properties, text) = (vec!["Sixty".to_string()], "2: watching Sixty".to_string());
    live.happened(&Happening::Loaded { monitor: 2, properties, model: load(&other), text });
    browser.wait(&page, "document.querySelectorAll('.ww-node').length === 60");
    assert_eq!(browser.value(&page, first), before);
    assert_eq!(browser.value(&page, "document.querySelector('#property').hidden"), true);
    // A page that comes now is told the same.
    let late = browser.open(server.address(), 390, 844);
    browser.wait(&late, "document.querySelectorAll('.ww-node').length === 60");
    browser.wait(&late, "document.querySelector('#checkpoints').textContent === '2: main (a.c:3)'");
    assert_eq!(browser.value(&late, first), before);
    browser.check(server.address());
    drop(browser);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn three_pages_stay_fluid_while_ten_thousand_moves_come_per_second() {
    let test = "three_pages_stay_fluid_while_ten_thousand_moves_come_per_second";
    // Needs a browser; `browser` says so where there is none, and fails under CI.
    let Some(name) = browser(test) else { return };
    let _alone = alone();
    let mut live = Live::new();
    play(&mut live);
    let server = Server::start(&live, 0, None).unwrap();
    let folder = folder("fluid");
    let mut browser = Browser::start(name, &folder);
    let pages: Vec<_> = (0..3).map(|_| browser.open(server.address(), 1280, 800)).collect();
    for page in &pages {
        browser.wait_for(page, "opened twice");
    }
    let done = Arc::new(AtomicBool::new(false));
    let told = Arc::new(Mutex::new(0u64));
    let sender = {
        let (mut live, done, told) = (live.clone(), done.clone(), told.clone());
        std::thread::spawn(move || {
            let begun = Instant::now();
            let mut index = 0u64;
            while !done.load(Ordering::SeqCst) {
                while index < begun.elapsed().as_millis() as u64 * 10 {
                    let (from, to) = [("Open", "Closed"), ("Closed", "Open")][index as usize % 2];
                    live.happened(&moved(&format!("{}.txt", index % 1000), from, to, index));
                    index += 1;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            *told.lock().unwrap() = index;
        })
    };
    // The longest time between two pictures, over two seconds, of the page that is seen.
    let front = &pages[2];
    browser.tell(front, "Page.bringToFront", serde_json::json!({}));
    let measured = browser.value(
        front,
        "new Promise((done) => { const begun = performance.now(); let last = begun, gaps = []; \
           const look = (now) => { gaps.push(now - last); last = now; \
             if (now - begun < 2000) requestAnimationFrame(look); else { gaps.sort((a, b) => a - b); \
               done([gaps.length, gaps[gaps.length >> 1], gaps[gaps.length - 1]]); } }; \
           requestAnimationFrame(look); })",
    );
    let [pictures, middle, longest] = [0, 1, 2].map(|i| measured[i].as_f64().expect("a number"));
    eprintln!("{pictures} pictures in 2 s, {middle:.0} ms apart, {longest:.0} ms at most");
    for page in &pages {
        browser.wait(page, "document.querySelectorAll('#rows tr').length === 300");
        browser.wait(page, "document.querySelector('#count').textContent.startsWith('100')");
    }
    done.store(true, Ordering::SeqCst);
    sender.join().unwrap();
    assert!(*told.lock().unwrap() > 10_000, "the machine was too slow to tell anything");
    // Generous: other tests may run on these processors.
    assert!(pictures >= 20.0 && longest < 1500.0, "{measured}");
    // All pages end with what happened last.
    live.end();
    for page in &pages {
        browser.wait_for(page, "the session has ended");
    }
    let first = |browser: &mut Browser, page| {
        browser.value(page, "document.querySelector('#events li .index').textContent")
    };
    let last = (*told.lock().unwrap() - 1).to_string();
    for page in &pages {
        assert_eq!(first(&mut browser, page), last.as_str());
    }
    browser.check(server.address());
    drop(browser);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_recording_plays_offline_in_light_and_dark_at_two_widths() {
    let test = "a_recording_plays_offline_in_light_and_dark_at_two_widths";
    // Needs a browser; `browser` says so where there is none, and fails under CI.
    let Some(name) = browser(test) else { return };
    let _alone = alone();
    let mut live = Live::new();
    live.record();
    play(&mut live);
    stop(&mut live);
    live.end();
    let folder = folder("offline");
    let file = folder.join("page.html");
    std::fs::write(&file, live.recording()).unwrap();
    let address = format!("file://{}", file.display());
    let mut browser = Browser::start(name, &folder);
    for (width, height) in [(1280, 800), (390, 844)] {
        let page = browser.open(&address, width, height);
        browser.wait_for(&page, "opened twice");
        let overflow =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.value(&page, overflow), 0, "{width}: it scrolls sideways");
        let ink = "getComputedStyle(document.body).color";
        let paper = "getComputedStyle(document.body).backgroundColor";
        browser.set_scheme(&page, "light");
        let light = (browser.value(&page, ink), browser.value(&page, paper));
        browser.set_scheme(&page, "dark");
        let dark = (browser.value(&page, ink), browser.value(&page, paper));
        assert_eq!(light.1, "rgb(241, 244, 248)");
        assert!(light.0 != dark.0 && light.1 != dark.1, "{light:?} {dark:?}");
        // The time line shows what happened, and that a verdict was reached: bars in two colours.
        let colours = "(() => { const shown = document.querySelector('#density'); \
            const c = new OffscreenCanvas(shown.width, shown.height); \
            const paint = c.getContext('2d', { willReadFrequently: true }); paint.drawImage(shown, 0, 0); \
            const d = paint.getImageData(0, 0, c.width, c.height).data; const seen = new Set(); \
            for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) seen.add(d[i] + ',' + d[i + 1]); \
            return seen.size; })()";
        browser.wait(&page, &format!("{colours} >= 2"));
        // Back to the beginning, and played to the end.
        let scrubbed = "(() => { const s = document.querySelector('#scrub'); s.value = 1; \
            s.dispatchEvent(new Event('input')); return document.querySelectorAll('.verdict').length; })()";
        assert_eq!(browser.value(&page, scrubbed), 0);
        browser.value(&page, "document.querySelector('#play').click()");
        browser.wait(&page, "document.querySelectorAll('.verdict').length === 1");
        browser.wait(&page, "document.querySelector('#play').textContent === 'Play'");
        browser.wait_for(&page, "the session has ended");
        // The controls of a program that is not there are not shown.
        assert_eq!(browser.value(&page, "document.querySelector('#controls').hidden"), true);
        assert_eq!(browser.value(&page, "document.querySelectorAll('img').length"), 0);
    }
    browser.check(&address);
    drop(browser);
    let _ = std::fs::remove_dir_all(&folder);
}
