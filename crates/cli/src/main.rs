//! The `watchword` command; see the library half for what it does.

fn main() -> std::process::ExitCode {
    watchword_cli::main()
}
