//! What the page looks like: compared with screenshots somebody has looked at.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

use watchword_live::{Live, Server};
use watchword_model::Value;
use watchword_session::{
    Checkpointed, Client, Happening, Moved, Place, Selected, Slice, Slices, Stop, StopReason,
    Verdict,
};
use watchword_testing::{Browser, Page, Picture, Scratch, alone, browser, look};

use crate::server::Asked;
use crate::support;

/// Wide, and high enough to have everything on it.
const WIDTHS: [(u32, u32); 2] = [(1280, 800), (390, 1500)];

fn queue(at: u64) -> Vec<(String, Value)> {
    vec![("q".to_string(), Value::Int(0x5614_181b_f2a0 + at as i64 * 0x110))]
}

/// A session with the queue of `examples/native`, stopped where it overflows.
fn play(live: &mut Live) {
    live.name("./queue 5 20 3");
    let text = "1: watching NoOverflow".to_string();
    let properties = vec!["NoOverflow".to_string()];
    let model = support::load(include_str!("../../../../examples/native/queue.ww"));
    live.happened(&Happening::Loaded { monitor: 1, properties, model, text });
    live.happened(&Happening::Running);
    for at in 0..4 {
        live.happened(&Happening::Moved(Moved {
            monitor: 1,
            property: "NoOverflow".into(),
            binding: queue(at),
            from: "New".into(),
            to: Some("Open".into()),
            event: Some(format!("made(q = {}, size = 4)", at + 1)),
            index: at + 1,
        }));
    }
    for number in 1..=2 {
        live.happened(&Happening::Checkpointed(Checkpointed {
            number,
            label: None,
            place: "queue_push (queue.c:30)".into(),
            by_scenario: false,
            text: format!("Checkpoint {number} at queue_push (queue.c:30)"),
        }));
    }
    live.happened(&Happening::Moved(Moved {
        monitor: 1,
        property: "NoOverflow".into(),
        binding: queue(2),
        from: "Open".into(),
        to: Some("Overflow".into()),
        event: Some("push(q = 3, item = 17)".into()),
        index: 21,
    }));
    let place =
        Place { function: Some("queue_push".into()), file: Some("queue.c".into()), line: Some(30) };
    live.happened(&Happening::Verdict(Box::new(Verdict {
        monitor: 1,
        property: "NoOverflow".into(),
        is_violation: true,
        message: "a push of 17 into a full queue of 4".into(),
        binding: queue(2),
        place: place.clone(),
        history: vec![("made(q = 3, size = 4)".into(), "Open".into())],
        backtrace: vec!["queue_push at queue.c:30".into(), "producer at queue.c:58".into()],
        index: 21,
        text: String::new(),
    })));
    let slice = |at: u64, state: &str| Slice {
        binding: queue(at),
        state: Some(state.into()),
        variables: vec![
            ("room".to_string(), Value::Int(4)),
            ("held".to_string(), Value::Int(at as i64 + 2)),
        ],
    };
    let nobody = Slice { binding: Vec::new(), state: Some("New".into()), variables: Vec::new() };
    let states = ["Open", "Open", "Overflow", "Open"];
    let slices = states.iter().enumerate().map(|(at, state)| slice(at as u64, state));
    live.happened(&Happening::Slices(Slices {
        monitor: 1,
        property: "NoOverflow".into(),
        total: 5,
        slices: std::iter::once(nobody).chain(slices).collect(),
    }));
    live.happened(&Happening::Stopped(Stop {
        reason: StopReason::Violation,
        points: Vec::new(),
        thread: 3,
        place: place.clone(),
        text: "[thread 3] queue_push (q=3, item=17) at queue.c:30".into(),
    }));
    let variables = [("q", "0x5614181bf4c0"), ("item", "17"), ("i", "5")];
    let variables = variables.map(|(name, value)| (name.to_string(), value.to_string())).into();
    live.happened(&Happening::Selected(Selected { place, variables }));
}

fn file(width: u32, scheme: &str) -> PathBuf {
    let name = format!("tests/it/looks/live-{width}-{scheme}.txt");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn picture(browser: &mut Browser, page: &Page) -> Picture {
    Picture::from_png(&browser.screenshot(page))
}

#[test]
fn the_page_looks_as_it_did_in_light_and_dark_at_two_widths() {
    let test = "the_page_looks_as_it_did_in_light_and_dark_at_two_widths";
    let Some(name) = browser(test) else { return };
    let _alone = alone();
    let mut live = Live::new();
    play(&mut live);
    let (sender, _asked) = channel();
    let server = Server::start(&live, 0, Some(Box::new(Asked(sender)))).unwrap();
    let folder = Scratch::new("looks");
    let mut browser = Browser::start(name, &folder.0);
    for (width, height) in WIDTHS {
        let page = browser.open(server.address(), width, height);
        browser.wait_for(&page, "a push of 17 into a full queue of 4");
        browser.wait(&page, "document.querySelectorAll('#marks button').length === 2");
        for scheme in ["light", "dark"] {
            browser.set_scheme(&page, scheme);
            // Moves are over, and colours have changed.
            browser.wait(&page, "!document.querySelector('.ww-token, .ww-moved')");
            browser.value(&page, "new Promise((done) => setTimeout(() => done(1), 400))");
            let png = browser.screenshot(&page);
            let shot = Picture::from_png(&png);
            let paper = shot.at(3, height as usize - 3);
            assert!(if scheme == "dark" { paper < 60 } else { paper > 230 }, "{scheme}: {paper}");
            look::compare(&file(width, scheme), &shot);
            // Every part lies within the page, and over no other one.
            let apart = "(() => { const all = [...document.querySelectorAll('main > section:not([hidden])')]; \
                const boxes = all.map((e) => [e.id, e.getBoundingClientRect()]); \
                const wide = document.documentElement.clientWidth; \
                const bad = []; \
                boxes.forEach(([id, b], i) => { \
                  if (b.left < 0 || b.right > wide || b.width < 100 || b.height < 40) bad.push(id); \
                  for (const [other, c] of boxes.slice(i + 1)) \
                    if (b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom) \
                      bad.push(`${id} over ${other}`); }); \
                return bad.join(); })()";
            assert_eq!(browser.value(&page, apart), "", "{width} {scheme}");
        }
        // The comparison can fail: a part that is gone is noticed. Another font is not.
        let style =
            |rule: &str| format!("document.querySelector('style').textContent += {rule:?}; 1");
        browser.value(&page, &style(" body { font-family: serif; letter-spacing: .2px }"));
        assert!(look::is_alike(&file(width, "dark"), &picture(&mut browser, &page)), "{width}");
        for part in ["#instances", "#picture svg", "#line", "header"] {
            browser.value(&page, &style(&format!(" {part} {{ visibility: hidden }}")));
        }
        assert!(!look::is_alike(&file(width, "dark"), &picture(&mut browser, &page)), "{width}");
    }
    browser.check(server.address());
}
