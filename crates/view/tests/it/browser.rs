//! The page in a real browser.

use std::path::Path;
use std::process::Command;

use watchword_testing::{Picture, Scratch, browser, look};
use watchword_view::report::Format;
use watchword_view::{Snippet, automaton, svg};

use crate::hostile;
use crate::sample::Sample;

/// Runs the browser on a page; answers what it printed and what it complained about.
fn run(browser: &str, dir: &Scratch, page: &Path, args: &[&str]) -> (String, String) {
    let output = Command::new("timeout")
        .args(["60", browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--enable-logging=stderr", "--v=0"])
        .arg(format!("--user-data-dir={}", dir.0.join("profile").display()))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn complaints(stderr: &str) -> Vec<&str> {
    stderr.lines().filter(|line| line.contains("CONSOLE")).collect()
}

/// Compares a screenshot with the one that was looked at.
fn compare(name: &str, picture: &Picture) {
    look::compare(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/looks").join(name),
        picture,
    );
}

#[test]
fn the_page_is_drawn_at_two_widths_without_complaints() {
    let Some(browser) = browser("the_page_is_drawn_at_two_widths_without_complaints") else {
        return;
    };
    let dir = Scratch::new("view-drawn");
    let sample = Sample::with("ship");
    let source = |_: &watchword_model::Location| {
        Some(Snippet { first: 9, lines: vec!["a line".to_string(); 5], file: None })
    };
    let page = dir.0.join("report.html");
    std::fs::write(&page, Format::Html.render(&sample.outcome(Vec::new(), &source, ""))).unwrap();
    for (width, height) in [(1200, 1600), (500, 2400)] {
        for dark in [false, true] {
            let shot = dir.0.join(format!("{width}-{dark}.png"));
            let size = format!("--window-size={width},{height}");
            let target = format!("--screenshot={}", shot.display());
            let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
            let (_, stderr) = run(browser, &dir, &page, &[&size, &target, &scheme]);
            assert_eq!(complaints(&stderr), Vec::<&str>::new());
            let picture = Picture::read(&shot);
            let wanted = (width as usize, height as usize);
            assert_eq!((picture.width, picture.height), wanted, "{stderr}");
            let paper = picture.at(2, 2);
            assert!(if dark { paper < 60 } else { paper > 230 }, "dark: {dark}, paper: {paper}");
            compare(
                &format!("report-{width}-{}.txt", if dark { "dark" } else { "light" }),
                &picture,
            );
        }
    }
}

#[test]
fn the_picture_is_drawn_without_complaints() {
    let Some(browser) = browser("the_picture_is_drawn_without_complaints") else { return };
    let dir = Scratch::new("view-svg");
    let model = Sample::with("ship").model;
    let diagrams: Vec<_> =
        model.properties.iter().map(|p| automaton::diagram(&model, p, &[])).collect();
    let file = dir.0.join("graph.svg");
    std::fs::write(&file, svg::draw(&diagrams)).unwrap();
    for width in [900, 420] {
        let shot = dir.0.join(format!("svg-{width}.png"));
        let size = format!("--window-size={width},900");
        let target = format!("--screenshot={}", shot.display());
        let (_, stderr) =
            run(browser, &dir, &file, &[&size, &target, "--blink-settings=preferredColorScheme=1"]);
        assert_eq!(complaints(&stderr), Vec::<&str>::new());
        compare(&format!("graph-{width}.txt"), &Picture::read(&shot));
    }
}

/// A script of the test's own, put where the page's own script is, reports what it sees.
fn probe(page: &str, script: &str) -> String {
    let end = page.rfind("</script>").unwrap();
    format!(
        "{}\ntry {{ document.title = 'probe:' + JSON.stringify((() => {{ {script} }})()); }} \
         catch (e) {{ document.title = 'probe:' + JSON.stringify(String(e)); }}\n{}",
        &page[..end],
        &page[end..]
    )
}

fn probed(browser: &str, dir: &Scratch, page: &str, width: u32) -> serde_json::Value {
    let file = dir.0.join("probe.html");
    std::fs::write(&file, page).unwrap();
    let size = format!("--window-size={width},900");
    let (dom, stderr) = run(browser, dir, &file, &[&size, "--dump-dom"]);
    assert_eq!(complaints(&stderr), Vec::<&str>::new());
    let title = dom.split("<title>probe:").nth(1).and_then(|t| t.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("the script did not run: {stderr}"));
    let text = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn filters_and_keys_work_and_nothing_overflows() {
    let Some(browser) = browser("filters_and_keys_work_and_nothing_overflows") else { return };
    let dir = Scratch::new("view-keys");
    let sample = Sample::with("ship");
    let page = Format::Html.render(&sample.outcome(Vec::new(), &|_| None, ""));
    let script = r#"
        const key = (k) => document.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
        const shown = () => [...document.querySelectorAll(".violation")].filter((v) => !v.hidden).map((v) => v.dataset.property);
        const set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("input")); };
        const result = {};
        result.all = shown();
        set("property", "Reply"); result.property = shown(); set("property", "");
        set("severity", "error"); result.severity = shown(); set("severity", "");
        set("text", "LIMIT passed"); result.text = shown(); set("text", "");
        key("j"); result.first = document.activeElement.tagName;
        key("j"); result.second = document.activeElement.closest(".violation").id;
        key("o"); result.open = document.querySelectorAll(".violation[open]").length;
        key("c"); result.closed = document.querySelectorAll(".violation[open]").length;
        key("/"); result.search = document.activeElement.id;
        document.querySelectorAll("details").forEach((d) => { d.open = true; });
        result.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        result.lit = document.querySelectorAll('[id=v1] .ww-edge.ww-lit').length;
        result.requests = performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("data:")).length;
        return result;"#;
    for width in [1200, 500] {
        let seen = probed(browser, &dir, &probe(&page, script), width);
        assert_eq!(seen["all"], serde_json::json!(["SafeIterator", "Reply"]), "{seen}");
        assert_eq!(seen["property"], serde_json::json!(["Reply"]), "{seen}");
        assert_eq!(seen["severity"], serde_json::json!(["SafeIterator"]), "{seen}");
        assert_eq!(seen["text"], serde_json::json!(["Reply"]), "{seen}");
        assert_eq!(seen["first"], "SUMMARY", "{seen}");
        assert_eq!(seen["second"], "v2", "{seen}");
        assert_eq!((&seen["open"], &seen["closed"]), (&2.into(), &0.into()), "{seen}");
        assert_eq!(seen["search"], "text", "{seen}");
        assert_eq!(seen["overflow"], 0, "the page is wider than {width}: {seen}");
        assert_eq!(seen["lit"], 3, "{seen}");
        assert_eq!(seen["requests"], 0, "{seen}");
    }
}

#[test]
fn hostile_texts_do_nothing_in_a_browser() {
    let Some(browser) = browser("hostile_texts_do_nothing_in_a_browser") else { return };
    let dir = Scratch::new("view-hostile");
    let script = "return [document.scripts.length, document.images.length, document.querySelectorAll('h1').length, \
        [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length];";
    for text in hostile::HOSTILE {
        let seen = probed(browser, &dir, &probe(&hostile::page(text), script), 1000);
        assert_eq!(seen, serde_json::json!([1, 0, 1, 0]), "{text}");
    }
}
