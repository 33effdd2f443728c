//! Commands and webhooks that alerts are delivered to, each by a thread of its own.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many alerts wait for a target at most; of more, the oldest are given up.
const MOST: usize = 10_000;

/// How often an alert is tried, and how long after the first failure it is tried again; then twice as
/// long.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);

/// How long a command or an address may take for one alert.
const PATIENCE: Duration = Duration::from_secs(30);

/// An address that alerts are posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// `HOST` or `HOST:PORT`, as the request names it.
    host: String,
    /// `HOST:PORT`.
    address: String,
    path: String,
}

impl Webhook {
    /// `http://HOST[:PORT][/PATH]`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Webhook, String> {
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let slash = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(slash);
        if host.is_empty() || text.contains(|c: char| c.is_control() || c == ' ') {
            return Err("expected http://HOST:PORT/PATH".to_string());
        }
        if host.contains('@') {
            return Err(
                "an address cannot contain a user name or a password; use a command".to_string()
            );
        }
        let bare = host.rsplit(']').next().unwrap_or(host);
        let address = match bare.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() => host.to_string(),
            Some(_) => return Err("expected a number after the colon".to_string()),
            None => format!("{host}:80"),
        };
        let path = if path.starts_with('/') { path.to_string() } else { format!("/{path}") };
        Ok(Webhook { host: host.to_string(), address, path })
    }

    /// Posts an alert; whether it makes sense to try again if that failed.
    fn post(&self, line: &str) -> Result<(), Failure> {
        let again = |error: io::Error| Failure { why: error.to_string(), again: true };
        let addresses = self.address.to_socket_addrs().map_err(again)?;
        let mut failed = Failure { why: "there is no such host".to_string(), again: true };
        for address in addresses {
            match TcpStream::connect_timeout(&address, PATIENCE / 3) {
                Ok(stream) => return self.post_over(stream, line),
                Err(error) => failed = again(error),
            }
        }
        Err(failed)
    }

    fn post_over(&self, mut stream: TcpStream, line: &str) -> Result<(), Failure> {
        let again = |error: io::Error| Failure { why: error.to_string(), again: true };
        stream.set_read_timeout(Some(PATIENCE)).map_err(again)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(again)?;
        let Webhook { host, path, .. } = self;
        let length = line.len();
        let version = env!("CARGO_PKG_VERSION");
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: watchword/{version}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{line}"
        );
        stream.write_all(request.as_bytes()).map_err(again)?;
        let mut status = String::new();
        BufReader::new(stream).take(1024).read_line(&mut status).map_err(again)?;
        let code = status.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
        match code {
            Some(200..=299) => Ok(()),
            // These may go away by themselves; what is wrong with the request does not.
            Some(408 | 425 | 429 | 500..) | None => {
                Err(Failure { why: format!("the answer was {:?}", status.trim()), again: true })
            }
            Some(_) => {
                Err(Failure { why: format!("the answer was {:?}", status.trim()), again: false })
            }
        }
    }
}

/// Why an alert could not be delivered.
struct Failure {
    why: String,
    again: bool,
}

/// What the thread of a target and the others know.
#[derive(Default)]
struct Queue {
    /// The first is on its way; it goes when it has arrived.
    lines: VecDeque<String>,
    failed: u64,
    last_error: Option<String>,
    /// Why the first could not be delivered so far.
    trouble: Option<String>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Delivers alerts in their order.
pub struct Courier {
    shared: Arc<Shared>,
    /// The target, as `--alert` takes it.
    target: String,
}

impl Courier {
    /// To a command of the shell.
    pub fn command(command: String, before: impl Iterator<Item = String>) -> Courier {
        let target = format!("cmd:{command}");
        Courier::start(target, before, move |line| run(&command, line))
    }

    /// To an address.
    pub fn webhook(webhook: Webhook, before: impl Iterator<Item = String>) -> Courier {
        let target = format!("http://{}{}", webhook.host, webhook.path);
        Courier::start(target, before, move |line| webhook.post(line))
    }

    fn start(
        target: String,
        before: impl Iterator<Item = String>,
        deliver: impl Fn(&str) -> Result<(), Failure> + Send + 'static,
    ) -> Courier {
        let shared = Arc::new(Shared::default());
        shared.lock().lines.extend(before);
        let theirs = shared.clone();
        // It ends with the program: what is not delivered then is in the state, if there is one.
        thread::spawn(move || {
            loop {
                let mut queue = theirs.lock();
                while queue.lines.is_empty() {
                    queue = theirs.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
                let line = queue.lines.front().cloned().unwrap_or_default();
                drop(queue);
                let failure = persistently(&line, &deliver, &|why| {
                    theirs.lock().trouble = Some(why.to_string());
                });
                let mut queue = theirs.lock();
                // It may have been given up meanwhile.
                if queue.lines.front() == Some(&line) {
                    queue.lines.pop_front();
                    queue.failed += u64::from(failure.is_some());
                }
                queue.last_error = failure.or(queue.last_error.take());
                queue.trouble = None;
                theirs.changed.notify_all();
            }
        });
        Courier { shared, target }
    }

    /// Lets an alert wait for its turn.
    pub fn send(&self, line: &str) {
        let mut queue = self.shared.lock();
        if queue.lines.len() >= MOST {
            queue.lines.pop_front();
            queue.failed += 1;
        }
        queue.lines.push_back(line.to_string());
        self.shared.changed.notify_all();
    }

    /// How many alerts wait, and how many were given up.
    pub fn counts(&self) -> (u64, u64) {
        let queue = self.shared.lock();
        (queue.lines.len() as u64, queue.failed)
    }

    /// The alerts that have not arrived.
    pub fn waiting(&self) -> Vec<String> {
        self.shared.lock().lines.iter().cloned().collect()
    }

    /// Why an alert was given up, if one was.
    pub fn last_error(&self) -> Option<String> {
        self.shared.lock().last_error.clone()
    }

    /// Where the alerts go, as `--alert` takes it.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Why the next alert could not be delivered so far, if it was tried.
    pub fn trouble(&self) -> Option<String> {
        self.shared.lock().trouble.clone()
    }

    /// Waits until all alerts have arrived or were given up, or it is that late.
    pub fn wait(&self, until: Instant) {
        let mut queue = self.shared.lock();
        while !queue.lines.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Tries until it is delivered, or gives up and says why. `again` is told why it was not delivered yet.
fn persistently(
    line: &str,
    deliver: &impl Fn(&str) -> Result<(), Failure>,
    again: &impl Fn(&str),
) -> Option<String> {
    let mut pause = PAUSE;
    for tried in 1.. {
        match deliver(line) {
            Ok(()) => return None,
            Err(failure) if !failure.again || tried == TRIES => return Some(failure.why),
            Err(failure) => {
                again(&failure.why);
                thread::sleep(pause);
            }
        }
        pause *= 2;
    }
    None
}

/// Runs a command with an alert on its standard input.
fn run(command: &str, line: &str) -> Result<(), Failure> {
    let failed = |why: String| Failure { why, again: true };
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        // Standard output may contain the list of violations.
        .stdout(io::stderr())
        .spawn()
        .map_err(|error| failed(format!("cannot run /bin/sh: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        let text = format!("{line}\n");
        // A command need not read it; one that reads nothing and does not end must not hold us up.
        thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let until = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(format!("`{command}` ended with {status}"))),
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                let why = format!("`{command}` took longer than {} s", PATIENCE.as_secs());
                return Err(failed(why));
            }
            Err(error) => return Err(failed(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let parse = |text| Webhook::parse(text).map(|w| (w.host, w.address, w.path));
        let parts = |a: &str, b: &str, c: &str| Ok((a.to_string(), b.to_string(), c.to_string()));
        assert_eq!(parse("http://a/b?c"), parts("a", "a:80", "/b?c"));
        assert_eq!(parse("http://a:81"), parts("a:81", "a:81", "/"));
        assert_eq!(parse("http://[::1]:81/x"), parts("[::1]:81", "[::1]:81", "/x"));
        assert_eq!(parse("http://a?b"), parts("a", "a:80", "/?b"));
        for bad in ["http://", "http://a:b", "http://u:p@a/", "http://a/\r\nX: y"] {
            assert!(Webhook::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn alerts_arrive_in_order_and_failures_are_counted() {
        let file = std::env::temp_dir().join(format!("watchword-courier-{}", std::process::id()));
        let name = file.display().to_string();
        let before = ["0".to_string()].into_iter();
        let courier = Courier::command(format!("cat >> {name}"), before);
        (1..4).for_each(|n| courier.send(&n.to_string()));
        courier.wait(Instant::now() + PATIENCE);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "0\n1\n2\n3\n");
        assert_eq!(courier.counts(), (0, 0));
        std::fs::remove_file(&file).unwrap();
        let refusing = Courier::start("x".to_string(), std::iter::empty(), |_| {
            Err(Failure { why: "no".to_string(), again: false })
        });
        refusing.send("x");
        refusing.wait(Instant::now() + PATIENCE);
        assert_eq!((refusing.counts(), refusing.last_error()), ((0, 1), Some("no".to_string())));
    }
}
