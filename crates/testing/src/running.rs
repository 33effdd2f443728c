//! Programs that run beside a test, for debuggers to join.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A program that runs until the test is over, however it ends.
pub struct Running(Child);

impl Running {
    /// Starts a program that sleeps now and then, and waits until it does: before that, its libraries may
    /// not be loaded yet.
    pub fn start(program: &Path) -> Running {
        let running = Running(Command::new(program).spawn().unwrap());
        let end = Instant::now() + Duration::from_secs(60);
        while !running.sleeps_in_its_own_code() {
            assert!(Instant::now() < end, "{} does not begin", program.display());
            std::thread::sleep(Duration::from_millis(5));
        }
        running
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    fn sleeps_in_its_own_code(&self) -> bool {
        let read = |what: &str| std::fs::read_to_string(format!("/proc/{}/{what}", self.pid()));
        let status = read("status").unwrap_or_default();
        status.contains("State:\tS") && read("maps").unwrap_or_default().contains("libc.so")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
