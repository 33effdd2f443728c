//! Writes two lines with env_logger (`env`) or with tracing-subscriber (`text`, `json`).

fn main() {
    let kind = std::env::args().nth(1).unwrap_or_default();
    if kind == "env" {
        let mut builder = env_logger::Builder::new();
        builder.filter_level(log::LevelFilter::Info).target(env_logger::Target::Stdout).init();
        log::info!("job 7 began");
        log::error!("job 7 failed");
        return;
    }
    let builder = tracing_subscriber::fmt().with_ansi(false);
    match kind.as_str() {
        "json" => builder.json().init(),
        _ => builder.init(),
    }
    tracing::info!(job = 7, "job began");
    let span = tracing::info_span!("run", worker = 2);
    let _inside = span.enter();
    tracing::error!(job = 7, "job failed");
}
