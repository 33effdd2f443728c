//! How well-known programs write their logs: a preset says what the lines are like, so that properties
//! can speak of fields.
//!
//! A preset is one entry of [`PRESETS`]. Lines of text are read by patterns with named groups, as
//! `--log-pattern` has them; records of JSON by where they are in a document and where their time is.
//! `docs/log-formats.md` lists the fields; a test compares it with the table.

use std::sync::LazyLock;

use regex::Regex;

/// What is known of a program's logs.
#[derive(Debug)]
pub struct Preset {
    /// What users call it.
    pub name: &'static str,
    /// One line about it for the help.
    pub about: &'static str,
    /// How it is read.
    pub reads: Reads,
    /// Whether a first line that is like it is recognised without being asked for. If not, its lines may
    /// be those of another program, too.
    pub recognised: bool,
}

/// How the lines of a program's log are read.
#[derive(Debug)]
pub enum Reads {
    /// Lines of text: the first pattern that fits a line is taken.
    Text {
        /// Regular expressions with named groups.
        patterns: &'static [&'static str],
        /// How times are written, if they do not tell.
        time: Option<&'static str>,
        /// `key=value` pairs in the field `message` are fields, too.
        pairs: bool,
    },
    /// Records in JSON.
    Json {
        /// A key that the first record has and those of other programs have not.
        key: &'static str,
        /// Where in a document the records are, if they are not the lines.
        records: Option<&'static str>,
        /// The field that has the time.
        time: &'static str,
        /// The field that has the time of its end. A record is two events then: the field [`PHASE`] says
        /// which.
        end: Option<&'static str>,
        /// How times are written.
        format: &'static str,
    },
    /// Lines that a container runtime has put another program's lines into.
    Envelope(Envelope),
    /// Rows between tabs below lines with `#` that name the columns.
    Zeek,
}

/// The field that tells the [`BEGIN`] of a record with an end from its [`END`].
pub const PHASE: &str = "phase";
/// What [`PHASE`] is where a record begins.
pub const BEGIN: &str = "begin";
/// What [`PHASE`] is where a record ends.
pub const END: &str = "end";

/// What a container runtime puts around a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// `{"log":"…\n","stream":"stdout","time":"…"}`, as Docker's `json-file` driver writes it.
    Docker,
    /// `2024-05-01T12:00:00Z stdout F …`, as Kubernetes' container runtime interface asks for.
    Cri,
    /// One of both: the first line tells.
    Either,
}

/// An access log in the common or the combined format.
const ACCESS: &str = concat!(
    r#"^(?<remote>\S+) \S+ (?<user>\S+) \[(?<time>\d\d/[A-Z][a-z]{2}/\d{4}:[^\]]+)\] "#,
    r#""(?:(?<method>[A-Z]+) (?<path>\S+)(?: (?<protocol>[^" ]+))?|(?:[^"\\]|\\.)*)" "#,
    r#"(?<status>\d{3}) (?:(?<bytes>\d+)|-)"#,
    r#"(?: "(?<referrer>(?:[^"\\]|\\.)*)" "(?<agent>(?:[^"\\]|\\.)*)")?"#,
);

const NGINX_ERROR: &str = concat!(
    r#"^(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?<level>[a-z]+)\] (?<pid>\d+)#(?<tid>\d+): "#,
    r#"(?:\*(?<connection>\d+) )?(?<message>.*?)(?:, client: (?<remote>[^,]+))?"#,
    r#"(?:, server: (?<server>[^,]*))?(?:, request: "(?<method>\S+) (?<path>\S+)[^"]*")?"#,
    r#"(?:, upstream: "(?<upstream>[^"]*)")?(?:, host: "(?<host>[^"]*)")?$"#,
);

const APACHE_ERROR: &str = concat!(
    r#"^\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [^\]]+)\] "#,
    r#"\[(?<module>[^:\]]*):(?<level>[^\]]+)\] \[pid (?<pid>\d+)(?::tid (?<tid>\d+))?\]"#,
    r#"(?: \[client (?<remote>[^\]]+)\])? (?:(?<code>AH\d+): )?(?<message>.*)$"#,
);

const SYSLOG_5424: &str = concat!(
    r#"^<(?<priority>\d{1,3})>1 (?<time>\S+) (?<host>\S+) (?<app>\S+) (?<pid>\S+) (?<msgid>\S+) "#,
    r#"(?<data>-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: +(?<message>.*))?$"#,
);

const SYSLOG: &str = concat!(
    r#"^(?:<(?<priority>\d{1,3})>)?"#,
    r#"(?<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) "#,
    r#"(?<host>\S+) (?<app>[^\s:\[]+)(?:\[(?<pid>\d+)\])?: ?(?<message>.*)$"#,
);

const SPRING: &str = concat!(
    r#"^(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d+\S*)\s+(?<level>[A-Z]+)\s+(?<pid>\d+) --- "#,
    r#"(?:\[(?<app>[^\]]*)\] )?\[\s*(?<thread>[^\]]*?)\s*\](?: \[[^\]]*\])? (?<logger>\S+)\s*: (?<message>.*)$"#,
);

const LOGBACK: &str = concat!(
    r#"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d{3}\S*) \[(?<thread>[^\]]*)\] "#,
    r#"(?<level>TRACE|DEBUG|INFO|WARN|ERROR)\s+(?<logger>\S+) -+ (?<message>.*)$"#,
);

const LOG4J: &str = concat!(
    r#"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d{3}\S*) "#,
    r#"(?<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+\[(?<thread>[^\]]*)\] (?<logger>[^\s:]+):?(?: -)? (?<message>.*)$"#,
);

/// The pattern that Log4j 2's documentation begins with: `%d %p %c{1.} [%t] %m%n`.
const LOG4J_2: &str = concat!(
    r#"^(?<time>(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d[.,]\d{3}\S*) "#,
    r#"(?<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s+(?<logger>[^\s:\[]+) \[(?<thread>[^\]]*)\] (?<message>.*)$"#,
);

/// The first of two lines; the second one has no time of its own.
const JUL: &str = concat!(
    r#"^(?<time>[A-Z][a-z]{2} \d\d?, \d{4} \d\d?:\d\d:\d\d [AP]M) "#,
    r#"(?<class>[\w.$]+)(?: (?<method>[\w$<>]+))?$"#,
);

const JUL_MESSAGE: &str =
    r#"^(?<level>SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): (?<message>.*)$"#;

const PYTHON: &str = concat!(
    r#"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?:- )?(?<logger>\S+) (?:- )?"#,
    r#"(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: -|:)? (?<message>.*)$"#,
);

const PYTHON_BASIC: &str =
    r#"^(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?<logger>[^:\s]+):(?<message>.*)$"#;

const LOGURU: &str = concat!(
    r#"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \| (?<level>[A-Z]+)\s* \| "#,
    r#"(?<logger>[^:|]+):(?<function>[^:]+):(?<line>\d+) - (?<message>.*)$"#,
);

const GUNICORN: &str = concat!(
    r#"^\[(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4})\] \[(?<pid>\d+)\] "#,
    r#"\[(?<level>[A-Z]+)\] (?<message>.*)$"#,
);

const KLOG: &str = concat!(
    r#"^(?<level>[IWEF])(?<time>\d{4} \d\d:\d\d:\d\d\.\d+)\s+(?<thread>\d+) "#,
    r#"(?<source>[^\]:\s]+):(?<line>\d+)\] (?<message>.*)$"#,
);

const RUST: &str = concat!(
    r#"^\[?(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z)\s+(?<level>TRACE|DEBUG|INFO|WARN|ERROR)\s+"#,
    r#"(?:(?<span>[^\s{}]*\{[^}]*\}(?::[^\s{}:]+(?:\{[^}]*\})?)*): )?"#,
    r#"(?<target>[\w:.\-]+?)(?:\]|:) (?<message>.*)$"#,
);

/// Between tabs, as its configuration for development writes it.
const ZAP: &str = concat!(
    r#"^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*)\t(?<level>[A-Z]+)\t(?:(?<logger>[\w.\-]+)\t)?"#,
    r#"(?:(?<source>[^\s:]+):(?<line>\d+)\t)?(?<message>[^\t]*)(?:\t(?<data>\{.*\}))?$"#,
);

const GO: &str = concat!(
    r#"^(?<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?) "#,
    r#"(?:(?<source>[^\s:]+\.go):(?<line>\d+): )?(?<message>.*)$"#,
);

const REDIS: &str = concat!(
    r#"^(?<pid>\d+):(?<role>[MSCX]) (?<time>\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d+) "#,
    r#"(?<level>[.*#-]) (?<message>.*)$"#,
);

const POSTGRES: &str = concat!(
    r#"^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [A-Z]{2,5}) \[(?<pid>\d+)\] "#,
    r#"(?:(?<user>[^@\s]+)@(?<database>\S+) )?(?<level>[A-Z]+\d?):\s+(?<message>.*)$"#,
);

const AUDITD: &str = concat!(
    r#"^(?:node=(?<node>\S+) )?type=(?<type>\S+) msg=audit\((?<time>\d+\.\d+):(?<serial>\d+)\):"#,
    r#"\s*(?<message>.*)$"#,
);

const HAPROXY: &str = concat!(
    r#"^(?:.* )?haproxy\[(?<pid>\d+)\]: (?<remote>\S+):(?<port>\d+) \[(?<time>[^\]]+)\] "#,
    r#"(?<frontend>\S+) (?<backend>[^\s/]+)/(?<server>\S+) "#,
    r#"(?<request_time>[-\d]+)/(?<queue_time>[-\d]+)/(?<connect_time>[-\d]+)/"#,
    r#"(?<response_time>[-\d]+)/\+?(?<total_time>[-\d]+) (?<status>-?\d+) \+?(?<bytes>\d+) \S+ \S+ "#,
    r#"(?<termination>\S{4}) \S+ \S+ (?:\{[^}]*\} )*"(?:(?<method>[A-Z]+) (?<path>\S+)[^"]*|[^"]*)"?"#,
);

const ENVOY: &str = concat!(
    r#"^\[(?<time>\d{4}-\d\d-\d\dT[^\]]+)\] "(?<method>\S+) (?<path>\S+) (?<protocol>[^"]+)" "#,
    r#"(?<status>\d+) (?<flags>\S+) (?:\S+ \S+ "[^"]*" )?(?<received>\d+) (?<bytes>\d+) "#,
    r#"(?<duration>\d+) (?<upstream_time>\S+) "(?<remote>[^"]*)" "(?<agent>[^"]*)" "#,
    r#""(?<request_id>[^"]*)" "(?<host>[^"]*)" "(?<upstream>[^"]*)""#,
);

const fn text(
    name: &'static str,
    about: &'static str,
    patterns: &'static [&'static str],
    time: Option<&'static str>,
) -> Preset {
    Preset { name, about, reads: Reads::Text { patterns, time, pairs: false }, recognised: true }
}

const fn json(
    name: &'static str,
    about: &'static str,
    key: &'static str,
    records: Option<&'static str>,
    time: &'static str,
    format: &'static str,
) -> Preset {
    let reads = Reads::Json { key, records, time, end: None, format };
    Preset { name, about, reads, recognised: true }
}

/// All presets; of those that a first line is like, the first.
pub static PRESETS: [Preset; 26] = [
    text("nginx", "nginx: access log (combined) and error log", &[ACCESS, NGINX_ERROR], None),
    text("apache", "Apache httpd: access log and error log", &[ACCESS, APACHE_ERROR], None),
    text("haproxy", "HAProxy: `option httplog`", &[HAPROXY], Some("%d/%b/%Y:%H:%M:%S%.f")),
    text("envoy", "Envoy: the default access log", &[ENVOY], None),
    text("syslog", "syslog: RFC 3164, RFC 5424, rsyslog's files", &[SYSLOG_5424, SYSLOG], None),
    json(
        "journald",
        "`journalctl -o json`",
        "__REALTIME_TIMESTAMP",
        None,
        "__REALTIME_TIMESTAMP",
        "micros",
    ),
    text("spring", "Spring Boot", &[SPRING], None),
    text("logback", "Logback and Log4j 2: the usual patterns", &[LOGBACK, LOG4J, LOG4J_2], None),
    text("log4j", "Log4j and Logback: the usual patterns", &[LOG4J, LOG4J_2, LOGBACK], None),
    text("jul", "java.util.logging: two lines each", &[JUL, JUL_MESSAGE], None),
    text(
        "python",
        "Python's logging, loguru, gunicorn",
        &[PYTHON, PYTHON_BASIC, LOGURU, GUNICORN],
        None,
    ),
    text("klog", "klog and glog: components of Kubernetes", &[KLOG], Some("klog")),
    text("rust", "env_logger and tracing-subscriber", &[RUST], None),
    Preset {
        name: "go",
        about: "Go's log package",
        reads: Reads::Text { patterns: &[GO], time: None, pairs: false },
        // Any text after a date of that form is one of its lines.
        recognised: false,
    },
    text("zap", "zap's console encoder", &[ZAP], None),
    text("redis", "Redis and Valkey", &[REDIS], None),
    text("postgres", "PostgreSQL: `log_line_prefix = '%m [%p] '`", &[POSTGRES], None),
    Preset {
        name: "auditd",
        about: "the Linux audit daemon; its `key=value` pairs are fields",
        reads: Reads::Text { patterns: &[AUDITD], time: Some("seconds"), pairs: true },
        recognised: true,
    },
    Preset {
        name: "docker",
        about: "Docker's json-file driver; lines inside that are JSON are records",
        reads: Reads::Envelope(Envelope::Docker),
        recognised: true,
    },
    Preset {
        name: "cri",
        about: "containerd and CRI-O; lines inside that are JSON are records",
        reads: Reads::Envelope(Envelope::Cri),
        recognised: true,
    },
    Preset {
        name: "k8s",
        about: "/var/log/containers of a Kubernetes node: cri or docker, as the first line tells",
        reads: Reads::Envelope(Envelope::Either),
        recognised: false,
    },
    json(
        "cloudtrail",
        "AWS CloudTrail: every element of `Records` is a record",
        "Records",
        Some(".Records[]"),
        "eventTime",
        "rfc3339",
    ),
    Preset {
        name: "zeek",
        about: "Zeek: tab-separated logs with `#fields`",
        reads: Reads::Zeek,
        recognised: true,
    },
    json(
        "otlp",
        "OpenTelemetry logs in JSON, as collectors' file exporters write them",
        "resourceLogs",
        Some(".resourceLogs[].scopeLogs[].logRecords[]"),
        "timeUnixNano",
        "nanos",
    ),
    json(
        "otlp-spans",
        "OpenTelemetry spans in JSON, each at its start",
        "resourceSpans",
        Some(".resourceSpans[].scopeSpans[].spans[]"),
        "startTimeUnixNano",
        "nanos",
    ),
    Preset {
        name: "otlp-begin-end",
        about: "OpenTelemetry spans in JSON, each at its start and at its end",
        reads: Reads::Json {
            key: "resourceSpans",
            records: Some(".resourceSpans[].scopeSpans[].spans[]"),
            time: "startTimeUnixNano",
            end: Some("endTimeUnixNano"),
            format: "nanos",
        },
        recognised: false,
    },
];

static RECOGNISED: LazyLock<Vec<(Vec<Regex>, &'static Preset)>> = LazyLock::new(|| {
    let compiled = |preset: &Preset| match &preset.reads {
        Reads::Text { patterns, .. } => {
            patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
        }
        _ => Vec::new(),
    };
    PRESETS.iter().filter(|p| p.recognised).map(|p| (compiled(p), p)).collect()
});

impl Preset {
    /// The preset of that name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The preset that a first line is surely of.
    pub fn of_line(line: &str) -> Option<&'static Preset> {
        let is = |(patterns, preset): &&(Vec<Regex>, &'static Preset)| match &preset.reads {
            Reads::Text { .. } => patterns.iter().any(|pattern| pattern.is_match(line)),
            Reads::Json { key, .. } => {
                let begins = line.strip_prefix('{').is_some_and(|rest| {
                    let key = rest.trim_start().strip_prefix('"').and_then(|r| r.strip_prefix(key));
                    key.is_some_and(|rest| rest.starts_with('"'))
                });
                begins || line.starts_with('{') && key.starts_with("__") && line.contains(key)
            }
            Reads::Envelope(Envelope::Docker) => {
                line.starts_with("{\"log\":\"") && line.contains("\"stream\":\"std")
            }
            Reads::Envelope(Envelope::Cri) => is_cri(line),
            Reads::Envelope(Envelope::Either) => false,
            Reads::Zeek => line.starts_with("#separator ") || line.starts_with("#fields\t"),
        };
        RECOGNISED.iter().find(is).map(|(_, preset)| *preset)
    }

    /// The names of the fields that its patterns have.
    pub fn fields(&self) -> Vec<&'static str> {
        let Reads::Text { patterns, .. } = &self.reads else { return Vec::new() };
        let mut names = Vec::new();
        for pattern in *patterns {
            let groups = pattern.split("(?<").skip(1);
            for name in groups.filter_map(|group| group.split('>').next()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// Whether a line is one of a container runtime: time, stream, and whether it is partial.
pub fn is_cri(line: &str) -> bool {
    let mut words = line.splitn(4, ' ');
    let is_time = words.next().is_some_and(|time| crate::time::rfc3339(time).is_some());
    is_time
        && matches!(words.next(), Some("stdout" | "stderr"))
        && words.next().is_some_and(|tag| matches!(tag.split(':').next(), Some("P" | "F")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid_and_names_are_unique() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..i].iter().all(|other| other.name != preset.name), "{}", preset.name);
            if let Reads::Text { patterns, .. } = &preset.reads {
                for pattern in *patterns {
                    Regex::new(pattern).unwrap_or_else(|e| panic!("{}: {e}", preset.name));
                }
            }
        }
    }

    #[test]
    fn lines_of_no_program_in_particular_are_not_recognised() {
        for line in [
            "2024-05-01T09:00:00Z ada logged in from 10.0.0.7",
            "2024/05/01 12:00:00 hello",
            "{\"event\":\"push\",\"args\":[1]}",
            "{\"@timestamp\":\"2024-05-01T09:00:00Z\",\"message\":\"request\"}",
            "push,1,2",
            "ERROR something",
            "{\"Recordset\":1}",
            "",
        ] {
            assert!(Preset::of_line(line).is_none(), "{line}");
        }
    }
}
