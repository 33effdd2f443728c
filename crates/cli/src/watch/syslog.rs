//! Messages of syslog as they come over the network, written as lines of one kind.
//!
//! Senders write RFC 3164, RFC 5424 or something like it. All become lines as RFC 5424 has them: times of
//! RFC 3164 tell neither the year nor the zone, so that the time of arrival is taken instead.

use std::io::{self, BufRead, Read};

use watchword_trace::time;

/// The longest message.
pub const LONGEST: usize = 1 << 20;

/// The next message of a connection, by its length (`12 <34>…`) or by its end; `None` at the end.
///
/// # Errors
/// If the stream cannot be read, or a message is too long.
pub fn next(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let Some(first) = from.fill_buf()?.first().copied() else { return Ok(None) };
    let mut message = Vec::new();
    if !first.is_ascii_digit() {
        from.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut message)?;
        if message.len() > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
        }
        return Ok(Some(message));
    }
    let mut count = Vec::new();
    from.by_ref().take(9).read_until(b' ', &mut count)?;
    let length = std::str::from_utf8(&count).ok().and_then(|text| text.strip_suffix(' '));
    match length.and_then(|text| text.parse::<usize>().ok()) {
        Some(length) if length <= LONGEST => {
            from.by_ref().take(length as u64).read_to_end(&mut message)?;
            match message.len() == length {
                true => Ok(Some(message)),
                false => Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        // Not a length: a line that begins with digits.
        _ => {
            from.by_ref().take(LONGEST as u64).read_until(b'\n', &mut count)?;
            Ok(Some(count))
        }
    }
}

/// A message as a line of RFC 5424, with its line end; `None` if there is nothing in it.
pub fn line(message: &[u8], peer: &str, now: &str) -> Option<String> {
    let text = String::from_utf8_lossy(message);
    let text = text.trim_end_matches(['\n', '\r', '\0', ' ']);
    if text.is_empty() {
        return None;
    }
    // As rsyslog writes characters that would end a line.
    let text = text.replace('\n', "#012").replace('\r', "#015");
    let (priority, rest) = priority(&text).unwrap_or((13, &text));
    Some(match rest.strip_prefix("1 ").and_then(modern) {
        Some((time, rest)) => format!("<{priority}>1 {} {rest}\n", time.unwrap_or(now)),
        None => {
            let Old { time, host, app, pid, message } = old(rest);
            let (time, host) = (time.unwrap_or(now), host.unwrap_or(peer));
            let (app, pid) = (app.unwrap_or("-"), pid.unwrap_or("-"));
            format!("<{priority}>1 {time} {host} {app} {pid} - - {message}\n")
        }
    })
}

/// The number at the beginning of a message, and the rest.
fn priority(text: &str) -> Option<(u8, &str)> {
    let (number, rest) = text.strip_prefix('<')?.split_once('>')?;
    let number = number.parse().ok().filter(|n| *n <= 191)?;
    Some((number, rest))
}

/// The time of a message of RFC 5424, if it has one, and the rest; `None` if it is no such message.
fn modern(text: &str) -> Option<(Option<&str>, &str)> {
    let (time, rest) = text.split_once(' ')?;
    // Host, program, process, kind, data.
    if rest.splitn(5, ' ').count() < 5 {
        return None;
    }
    match time::rfc3339(time) {
        Some(_) => Some((Some(time), rest)),
        None if time == "-" => Some((None, rest)),
        None => None,
    }
}

/// A message as RFC 3164 has it, as far as it does.
#[derive(Debug, Default, PartialEq, Eq)]
struct Old<'a> {
    time: Option<&'a str>,
    host: Option<&'a str>,
    app: Option<&'a str>,
    pid: Option<&'a str>,
    message: &'a str,
}

fn old(text: &str) -> Old<'_> {
    let (word, after) = text.split_once(' ').unwrap_or((text, ""));
    let (time, mut rest) = if time::rfc3339(word).is_some() {
        (Some(word), after)
    } else if is_old_time(text) {
        (None, text[15..].trim_start())
    } else {
        (None, text)
    };
    let mut old = Old { time, ..Old::default() };
    // The host is missing in messages that were meant for the same machine.
    let is_timed = rest.len() < text.len();
    if is_timed
        && let Some((host, after)) = rest.split_once(' ')
        && !host.contains([':', '['])
    {
        old.host = Some(host);
        rest = after;
    }
    if let Some((tag, after)) = tag(rest) {
        let (app, pid) = tag.strip_suffix(']').and_then(|t| t.split_once('[')).unwrap_or((tag, ""));
        old.app = Some(app);
        old.pid = Some(pid).filter(|pid| !pid.is_empty());
        rest = after;
    }
    old.message = rest;
    old
}

/// `Mmm dd hh:mm:ss `.
fn is_old_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let like = b"Aaa 99 99:99:99";
    bytes.len() > like.len()
        && bytes[like.len()] == b' '
        && like.iter().zip(bytes).all(|(like, byte)| match like {
            b'A' => byte.is_ascii_uppercase(),
            b'a' => byte.is_ascii_lowercase(),
            b'9' => byte.is_ascii_digit() || *byte == b' ',
            other => other == byte,
        })
}

/// `program[17]: …`: what is before the colon, and the message.
fn tag(text: &str) -> Option<(&str, &str)> {
    let (tag, message) = text.split_once(':')?;
    let fits = !tag.is_empty() && tag.len() <= 128 && !tag.contains(char::is_whitespace);
    fits.then(|| (tag, message.strip_prefix(' ').unwrap_or(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2024-05-01T12:00:00Z";

    #[test]
    fn messages_of_every_kind_become_lines_of_one() {
        for (message, want) in [
            (
                "<34>Oct 11 22:14:15 mymachine su: 'su root' failed\n",
                format!("<34>1 {NOW} mymachine su - - - 'su root' failed\n"),
            ),
            (
                "<13>May  1 12:00:00 web1 sshd[4001]: Failed password",
                format!("<13>1 {NOW} web1 sshd 4001 - - Failed password\n"),
            ),
            ("<13>May  1 12:00:00 app[7]: x", format!("<13>1 {NOW} peer app 7 - - x\n")),
            (
                "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time",
                "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time\n"
                    .to_string(),
            ),
            ("<165>1 - h a p m - x\0", format!("<165>1 {NOW} h a p m - x\n")),
            (
                "<30>2024-05-01T14:00:00.5+02:00 web1 app: rsyslog forwards so",
                "<30>1 2024-05-01T14:00:00.5+02:00 web1 app - - - rsyslog forwards so\n"
                    .to_string(),
            ),
            (
                "plain words, no syslog",
                format!("<13>1 {NOW} peer - - - - plain words, no syslog\n"),
            ),
            ("<999>a: b", format!("<13>1 {NOW} peer <999>a - - - b\n")),
            ("<13>a: b\nc", format!("<13>1 {NOW} peer a - - - b#012c\n")),
        ] {
            assert_eq!(line(message.as_bytes(), "peer", NOW), Some(want), "{message}");
        }
        assert_eq!(line(b" \r\n\0", "peer", NOW), None);
        assert!(line(b"<13>a: \xff\xfe", "peer", NOW).is_some());
    }

    #[test]
    fn connections_are_cut_by_lengths_or_by_line_ends() {
        let mut from = &b"5 <1>ab<2>line\n7 <3>\nmore 17 bottles\n12 x"[..];
        let mut messages = Vec::new();
        let end = loop {
            match next(&mut from) {
                Ok(Some(message)) => messages.push(String::from_utf8(message).unwrap()),
                end => break end,
            }
        };
        assert_eq!(messages, ["<1>ab", "<2>line\n", "<3>\nmor", "e 17 bottles\n"]);
        // The last one is shorter than it says.
        assert!(end.is_err());
        let long = vec![b'x'; LONGEST + 9];
        assert!(next(&mut &long[..]).is_err());
        assert!(next(&mut &b"99999999 x"[..]).is_ok());
    }
}
