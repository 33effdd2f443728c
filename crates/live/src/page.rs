//! The page: one file, nothing from elsewhere.

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

fn assemble(nonce: &str, recording: &str) -> String {
    // The parts are ours: none of them contains the marks of another one.
    HTML.replace("@NONCE@", nonce)
        .replace("/*PICTURES*/", watchword_view::svg::STYLE)
        .replace("/*STYLE*/", STYLE)
        .replace("/*SCRIPT*/", SCRIPT)
        .replace("@RECORDING@", recording)
}

/// The page of a session that is running; scripts carry the nonce.
pub(crate) fn live(nonce: &str) -> String {
    assemble(nonce, "")
}

/// A page that shows frames without a server.
pub(crate) fn recording(frames: &[String]) -> String {
    // Inside of a script element, only `<` could end it.
    assemble("recording", &format!("[{}]", frames.join(",\n")).replace('<', "\\u003c"))
}
