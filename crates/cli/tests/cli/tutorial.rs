//! The six experiments of the paper about Verde through the page in a browser, as
//! `docs/tutorial-native.md` describes them, and the pictures that it shows. What it says of GDB is run
//! with the page's blocks, and what it says of editors by the tests of `crates/dap`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use watchword_testing::{Browser, Page, browser, guarded, look};

use crate::support::{Dir, binary, root};

/// An experiment: the program with its arguments, what to link, the property, and the scenario.
struct Experiment {
    program: &'static [&'static str],
    links: &'static [&'static str],
    property: &'static str,
    scenario: Option<&'static str>,
}

/// A session with a page; it ends with this.
struct Session {
    child: Child,
    address: String,
}

impl Experiment {
    /// Compiles the program in the folder, and starts the session there.
    fn start(&self, dir: &Dir) -> Session {
        let examples = root().join("examples/native");
        let name = self.program[0];
        // Places in the page are as short as for somebody who works in that folder.
        for file in std::fs::read_dir(&examples).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), dir.path().join(file.file_name())).unwrap();
        }
        let mut compiler = Command::new("cc");
        compiler.args(["-g", "-O0", "-pthread", &format!("{name}.c"), "-o", name]);
        let status = compiler.args(self.links).current_dir(dir.path()).status().unwrap();
        assert!(status.success(), "{name}.c");
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "200", binary(), "debug", "--view", "-p", self.property]);
        if let Some(scenario) = self.scenario {
            command.args(["-s", scenario]);
        }
        command.arg("--").arg(format!("./{name}")).args(&self.program[1..]);
        command.current_dir(dir.path()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let told = "The session in a browser: ";
        let address = lines.find_map(|line| line.strip_prefix(told).map(str::to_string));
        std::thread::spawn(move || lines.count());
        Session { child, address: address.expect("the address is printed") }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The end of its input is the end of the session.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Runs an experiment in a page: goes on, waits for what the tutorial says, and takes the picture.
fn through_the_page(
    test: &str,
    experiment: &Experiment,
    picture: &str,
    look_at: impl FnOnce(&mut Browser, &Page),
) {
    let Some(name) = browser(test) else { return };
    guarded(120, || {
        let dir = Dir::new();
        let session = experiment.start(&dir);
        let mut browser = Browser::start(name, dir.path());
        let page = browser.open(&session.address, 1200, 800);
        browser.wait(&page, "!document.querySelector('[data-request=continue]').disabled");
        look_at(&mut browser, &page);
        browser.check(&session.address);
        // Tokens have arrived, and the clock of the page does not matter.
        std::thread::sleep(std::time::Duration::from_millis(700));
        let picture_now = browser.screenshot(&page);
        look::documented(picture, &picture_now);
        drop(browser);
    });
}

/// Clicks a button of the page.
fn click(browser: &mut Browser, page: &Page, request: &str) {
    let button = format!("document.querySelector('[data-request={request}]')");
    browser.wait(page, &format!("!{button}.disabled"));
    browser.value(page, &format!("{button}.click()"));
}

#[test]
fn the_overflow_of_the_queue() {
    let experiment = Experiment {
        program: &["queue", "5", "20", "3"],
        links: &[],
        property: "queue.ww",
        scenario: None,
    };
    through_the_page(
        "the_overflow_of_the_queue",
        &experiment,
        "queue-page.png",
        |browser, page| {
            click(browser, page, "checkpoint");
            browser.wait(page, "document.querySelectorAll('#checkpoints option').length == 1");
            click(browser, page, "continue");
            browser.wait_for(page, "into a full queue of 4");
            browser.wait(page, "document.querySelectorAll('.ww-bad.ww-lit').length == 1");
            // Back, and forward to it once more.
            click(browser, page, "restore");
            browser.wait(page, "document.querySelectorAll('.ww-bad.ww-lit').length == 0");
            click(browser, page, "continue");
            browser.wait(page, "document.querySelectorAll('.ww-bad.ww-lit').length == 1");
            browser.wait_for(page, "queue_push");
        },
    );
}

#[test]
fn the_trail_of_the_null_pointer() {
    let experiment = Experiment {
        program: &["trail"],
        links: &[],
        property: "trail.ww",
        scenario: Some("trail.scn"),
    };
    let test = "the_trail_of_the_null_pointer";
    through_the_page(test, &experiment, "trail-page.png", |browser, page| {
        click(browser, page, "continue");
        for text in ["current is ada", "current is bob", "current is null now", "forget_user"] {
            browser.wait_for(page, text);
        }
        browser.wait_for(page, "SIGSEGV");
    });
}

#[test]
fn the_row_of_the_sudoku() {
    let experiment = Experiment {
        program: &["sudoku"],
        links: &[],
        property: "sudoku.ww",
        scenario: Some("sudoku.scn"),
    };
    through_the_page("the_row_of_the_sudoku", &experiment, "sudoku-page.png", |browser, page| {
        click(browser, page, "continue");
        for text in ["back to checkpoint", "row 3 is written in", "row 3 has two 3s now"] {
            browser.wait_for(page, text);
        }
        browser.wait(page, "document.querySelectorAll('#checkpoints option').length > 10");
    });
}

#[test]
fn the_stream_that_was_closed() {
    let experiment =
        Experiment { program: &["closed"], links: &[], property: "files.ww", scenario: None };
    through_the_page(
        "the_stream_that_was_closed",
        &experiment,
        "files-page.png",
        |browser, page| {
            click(browser, page, "continue");
            browser.wait_for(page, "a closed stream is used");
            browser.wait(page, "document.querySelectorAll('.ww-bad.ww-lit').length == 1");
        },
    );
}

#[test]
fn the_iterator_over_a_changed_table() {
    let experiment = Experiment {
        program: &["table"],
        links: &["-l:libglib-2.0.so.0"],
        property: "glib-iterator.ww",
        scenario: None,
    };
    let test = "the_iterator_over_a_changed_table";
    through_the_page(test, &experiment, "iterator-page.png", |browser, page| {
        click(browser, page, "continue");
        browser.wait_for(page, "an iterator is used although its table was changed");
        browser.wait_for(page, "forget_guests");
    });
}

#[test]
fn what_an_event_costs() {
    let experiment = Experiment {
        program: &["gap", "300", "500"],
        links: &[],
        property: "gap.ww",
        scenario: None,
    };
    through_the_page("what_an_event_costs", &experiment, "cost-page.png", |browser, page| {
        click(browser, page, "continue");
        // Three hundred moves, and the program has ended.
        browser.wait_for(page, "The program has ended");
        browser.wait(page, "document.querySelector('#rows').innerText.includes('300')");
    });
}
