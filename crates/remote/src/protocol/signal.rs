//! Signals have other numbers in the protocol than on Linux.

/// Numbers on Linux and in the protocol, where they differ.
const DIFFERENT: [(i32, u8); 14] = [
    (7, 10),   // SIGBUS
    (10, 30),  // SIGUSR1
    (12, 31),  // SIGUSR2
    (17, 20),  // SIGCHLD
    (18, 19),  // SIGCONT
    (19, 17),  // SIGSTOP
    (20, 18),  // SIGTSTP
    (23, 16),  // SIGURG
    (29, 23),  // SIGIO
    (30, 32),  // SIGPWR
    (31, 12),  // SIGSYS
    (32, 77),  // SIG32
    (64, 78),  // SIG64
    (16, 143), // SIGSTKFLT, which the protocol does not have
];

/// Real-time signals from 33 to 63 follow each other in the protocol.
const FIRST_REAL_TIME: (i32, u8) = (33, 45);

/// The protocol's number of a signal of Linux.
pub fn to_protocol(signal: i32) -> u8 {
    if let Some((_, there)) = DIFFERENT.iter().find(|(here, _)| *here == signal) {
        return *there;
    }
    match signal {
        33..=63 => (signal - FIRST_REAL_TIME.0) as u8 + FIRST_REAL_TIME.1,
        _ => u8::try_from(signal).unwrap_or(0),
    }
}

/// The signal of Linux that a number of the protocol means; zero for none.
pub fn from_protocol(signal: u8) -> i32 {
    (1..=64).find(|here| to_protocol(*here) == signal).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_there_and_back() {
        for signal in 1..=64 {
            assert_eq!(from_protocol(to_protocol(signal)), signal, "{signal}");
        }
        assert_eq!(to_protocol(11), 11);
        assert_eq!(to_protocol(10), 30);
        assert_eq!(from_protocol(0), 0);
    }
}
