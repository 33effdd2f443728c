#!/bin/sh
# Makes the samples in this folder that come from real programs: on loopback, in a folder of its own that
# is removed afterwards. Programs that are not installed are left out. Debian's packages are nginx-core,
# apache2-bin, rsyslog, haproxy, postgresql, redis-server and python3; ROOT may name a folder into which
# some of them were unpacked. PYTHON may name a Python that has loguru, structlog, python-json-logger, flask,
# gunicorn, opentelemetry-exporter-otlp-proto-http and pm4py. `make.sh FOLDER` writes into another folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
pids=
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || true; done; rm -rf "$work"' EXIT
chmod 755 "$work"
root=${ROOT:-}
if [ -n "$root" ]; then
    PATH=$root/usr/sbin:$root/usr/bin:$PATH
    LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
    export LD_LIBRARY_PATH
fi
has() { command -v "$1" >/dev/null 2>&1 || { echo "$1 is not installed: its sample stays as it is"; return 1; }; }
get() { curl -s -o /dev/null "$@" || true; }
requests() { # PORT: three pages that are there and three that are not
    for page in index.html index.html missing wp-login.php index.html admin; do
        get -A "sample/1.0" "http://127.0.0.1:$1/$page"
    done
}

mkdir "$work/www" && echo hello >"$work/www/index.html"

if has nginx; then
    cat >"$work/nginx.conf" <<END
daemon off; master_process off; pid $work/nginx.pid; error_log $work/nginx-error.log info;
events {}
http { access_log $work/nginx.log combined; client_body_temp_path $work; proxy_temp_path $work;
fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
server { listen 127.0.0.1:18080; root $work/www; } }
END
    nginx -c "$work/nginx.conf" -e "$work/nginx-error.log" & pids="$pids $!"
    sleep 1; requests 18080; sleep 1
    cp "$work/nginx.log" "$out/nginx.log"
    grep "error" "$work/nginx-error.log" | tail -4 | sed "s#$work#/srv#g" >"$out/nginx-error.log"
fi

if has apache2; then
    modules=${root}/usr/lib/apache2/modules
    cat >"$work/apache.conf" <<END
ServerRoot $work
PidFile $work/apache.pid
ServerName localhost
Listen 127.0.0.1:18081
User nobody
Group nogroup
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
DocumentRoot $work/www
ErrorLog $work/apache-error.log
LogLevel info
LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"" combined
LogFormat "%h %l %u %t \"%r\" %>s %O" common
CustomLog $work/apache.log combined
CustomLog $work/apache-common.log common
END
    apache2 -X -f "$work/apache.conf" & pids="$pids $!"
    sleep 1; requests 18081; get "http://127.0.0.1:18081/%2e%2e%2f"; sleep 1
    cp "$work/apache.log" "$out/apache.log"
    cp "$work/apache-common.log" "$out/apache-common.log"
    sed "s#$work#/srv#g" "$work/apache-error.log" >"$out/apache-error.log"
fi

if has rsyslogd && has logger; then
    plugins=${root}/usr/lib/x86_64-linux-gnu/rsyslog
    cat >"$work/rsyslog.conf" <<END
global(workDirectory="$work")
module(load="$plugins/imuxsock.so" SysSock.Use="off")
input(type="imuxsock" Socket="$work/log.sock")
module(load="$plugins/imudp.so")
input(type="imudp" address="127.0.0.1" port="18514" ruleset="proxy")
ruleset(name="proxy") { action(type="omfile" file="$work/haproxy.log" template="RSYSLOG_TraditionalFileFormat") }
action(type="omfile" file="$work/syslog.log" template="RSYSLOG_TraditionalFileFormat")
action(type="omfile" file="$work/syslog-iso.log" template="RSYSLOG_FileFormat")
action(type="omfile" file="$work/syslog-5424.log" template="RSYSLOG_SyslogProtocol23Format")
END
    rsyslogd -M "$plugins" -n -f "$work/rsyslog.conf" -i "$work/rsyslog.pid" & pids="$pids $!"
    sleep 1
    say() { logger -u "$work/log.sock" -p "$1" -t "$2" --id="$3" "$4"; }
    say daemon.info systemd 1 "Started Session 7 of User ada."
    for i in 1 2 3 4 5; do
        say auth.info sshd "400$i" "Failed password for root from 203.0.113.7 port 5200$i ssh2"
    done
    say auth.info sshd 4010 "Accepted publickey for ada from 198.51.100.4 port 52100 ssh2"
    say cron.info CRON 4011 "(root) CMD (run-parts /etc/cron.hourly)"
    sleep 1
    host=$(hostname)
    for name in syslog syslog-iso syslog-5424; do
        grep -v rsyslogd "$work/$name.log" | sed "s/ $host / web1 /" >"$out/$name.log"
    done
    if has haproxy; then
        cat >"$work/haproxy.cfg" <<END
global
    log 127.0.0.1:18514 local0
defaults
    mode http
    option httplog
    log global
    timeout connect 1s
    timeout client 5s
    timeout server 5s
frontend web
    bind 127.0.0.1:18082
    default_backend app
backend app
    server app1 127.0.0.1:18080
    server app2 127.0.0.1:18099 backup
END
        haproxy -f "$work/haproxy.cfg" & pids="$pids $!"
        sleep 1; requests 18082; sleep 1
        sed "s/ localhost haproxy/ web1 haproxy/" "$work/haproxy.log" | grep -v "Proxy\|stopping" >"$out/haproxy.log"
    fi
fi

if has redis-server; then
    redis-server --port 18379 --save "" --dir "$work" --logfile "$work/redis.log" & pids="$pids $!"
    sleep 1; redis-cli -p 18379 debug sleep 0 >/dev/null || true; redis-cli -p 18379 shutdown nosave || true; sleep 1
    grep "^[0-9]*:[A-Z] " "$work/redis.log" | grep -v WARNING >"$out/redis.log"
fi

if has postgres && has initdb; then
    user=${PGUSER_UNIX:-postgres}
    mkdir "$work/pg" && chown "$user" "$work/pg"
    as() { su "$user" -s /bin/sh -c "$*"; }
    as "$(command -v initdb) -D $work/pg/data -A trust" >/dev/null
    as "$(command -v postgres) -D $work/pg/data -p 18432 -k $work/pg -c log_connections=on -c log_disconnections=on -c log_statement=all -c timezone=UTC -c log_timezone=UTC 2>$work/pg/log" & pids="$pids $!"
    sleep 3
    as "psql -h $work/pg -p 18432 -c 'select 1' -c 'select * from missing' postgres" >/dev/null 2>&1 || true
    as "psql -h $work/pg -p 18432 nosuch" >/dev/null 2>&1 || true
    sleep 1
    grep -v "listening on\|database system\|starting PostgreSQL" "$work/pg/log" | sed "s#$work#/srv#g" >"$out/postgres.log"
    as "kill $(head -1 "$work/pg/data/postmaster.pid")" || true
    sleep 1
fi

if has python3; then
    python3 - >"$out/python.log" 2>&1 <<'END'
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
jobs = logging.getLogger("jobs")
for job in (7, 8):
    jobs.info("job %d began", job)
try:
    raise ValueError("no such account")
except ValueError:
    jobs.exception("job 8 failed")
jobs.info("job 7 done")
END
fi

python=${PYTHON:-python3}
if has "$python" && "$python" -c "import loguru, structlog, pythonjsonlogger, flask, gunicorn" 2>/dev/null; then
    cat >"$work/jobs.py" <<'END'
import logging, sys
kind, f = sys.argv[1], sys.stdout
if kind == "loguru":
    from loguru import logger
    logger.remove()
    logger.add(f, level="INFO", colorize=False)
    logger.info("job 7 began")
    logger.error("job 7 failed")
elif kind == "structlog":
    import structlog
    p = structlog.processors
    structlog.configure(processors=[p.add_log_level, p.TimeStamper(fmt="iso"), p.JSONRenderer()])
    log = structlog.get_logger()
    log.info("job began", id=7)
    log.error("job failed", id=7)
else:
    from pythonjsonlogger import jsonlogger
    handler = logging.StreamHandler(f)
    fields = "%(asctime)s %(levelname)s %(name)s %(message)s"
    handler.setFormatter(jsonlogger.JsonFormatter(fields, rename_fields={"levelname": "level"}))
    log = logging.getLogger("jobs")
    log.addHandler(handler)
    log.setLevel("INFO")
    log.info("job 7 began")
    log.error("job 7 failed")
END
    "$python" "$work/jobs.py" loguru >"$out/loguru.log"
    "$python" "$work/jobs.py" structlog >"$out/structlog.json"
    "$python" "$work/jobs.py" json >"$out/python-json.json"
    cat >"$work/app.py" <<'END'
from flask import Flask
app = Flask(__name__)
@app.route("/")
def index(): return "hello"
END
    (cd "$work" && "$python" -m gunicorn -b 127.0.0.1:18083 --access-logfile g-access.log --error-logfile g.log app:app) & pid=$!
    pids="$pids $pid"
    sleep 4
    for page in "" a b c; do get "http://127.0.0.1:18083/$page"; done
    kill "$pid"; sleep 2
    cp "$work/g-access.log" "$out/gunicorn-access.log"
    grep -v "Control s" "$work/g.log" >"$out/gunicorn.log"
fi

if has "$python" && "$python" -c "import opentelemetry.exporter.otlp.proto.http" 2>/dev/null; then
    # What the exporter posts, as it is.
    "$python" - "$out" <<'END'
import logging, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

files = {"/v1/logs": "otlp-sdk.pb", "/v1/traces": "otlp-sdk-spans.pb"}
for name in files.values():
    open(f"{sys.argv[1]}/{name}", "wb").close()

class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with open(f"{sys.argv[1]}/{files[self.path]}", "ab") as file:
            file.write(body)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 18084), Collector)
threading.Thread(target=server.serve_forever, daemon=True).start()
url, plain = "http://127.0.0.1:18084", Compression.NoCompression
logs = LoggerProvider()
logs.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(f"{url}/v1/logs", compression=plain)))
log = logging.getLogger("jobs")
log.setLevel(logging.INFO)
log.addHandler(LoggingHandler(logger_provider=logs))
log.info("job 7 began")
log.error("job 7 failed")
logs.shutdown()
spans = TracerProvider()
spans.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", compression=plain)))
tracer = spans.get_tracer("jobs")
with tracer.start_as_current_span("batch"):
    with tracer.start_as_current_span("job 7") as span:
        span.set_status(trace.StatusCode.ERROR)
spans.shutdown()
END
fi

if has "$python" && "$python" -c "import pm4py" 2>/dev/null; then
    "$python" - "$out/orders.xes" >/dev/null 2>&1 <<'END'
import sys
from datetime import datetime, timedelta, timezone
import pandas, pm4py

begin = datetime(2026, 11, 18, 9, 0, tzinfo=timezone.utc)
orders = [("order 7", "create pay ship"), ("order 8", "create ship pay"), ("order 9", "create pay")]
rows = []
for order, steps in orders:
    for at, step in enumerate(steps.split()):
        rows.append({
            "case:concept:name": order,
            "concept:name": step,
            "lifecycle:transition": "complete",
            "time:timestamp": begin + timedelta(minutes=7 * at, milliseconds=500 * len(rows)),
            "org:resource": "Ada" if at == 0 else "Bob & Co",
            "cost": 9.5 * at,
        })
pm4py.write_xes(pandas.DataFrame(rows), sys.argv[1])
END
fi

# Libraries: a program for each language in programs/, which writes two lines with the library that is named.
cp -R "$here/programs" "$work/programs"

if has go; then
    (cd "$work/programs/go" && go build -o jobs .)
    go=$work/programs/go/jobs
    "$go" slog-text >"$out/slog-text.log"
    "$go" slog-json >"$out/slog.json"
    "$go" zap 2>"$out/zap.json"
    "$go" zap-console 2>"$out/zap-console.log"
    "$go" zerolog 2>"$out/zerolog.json"
    "$go" logrus 2>"$out/logrus.log"
    "$go" klog 2>"$out/klog-go.log"
fi

if has cargo; then
    (cd "$work/programs/rust" && cargo build --quiet --target-dir "$work/target")
    rust=$work/target/debug/jobs
    "$rust" env >"$out/env-logger.log"
    "$rust" text >"$out/tracing.log"
    "$rust" json >"$out/tracing.json"
fi

if has npm; then
    (cd "$work/programs/node" && npm install --silent)
    for library in pino bunyan winston; do
        node "$work/programs/node/main.js" "$library" | sed "s/\"$(hostname)\"/\"web1\"/" >"$out/$library.json"
    done
fi

if has mvn; then
    (cd "$work/programs/java" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$work/jars")
    jobs() { kind=$1; shift; (cd "$work/programs/java" && java -cp "$work/jars/*" "$@" Jobs.java "$kind" 2>&1); }
    jobs slf4j >"$out/logback-default.log"
    jobs slf4j -Dlogback.configurationFile=logback-json.xml >"$out/logstash.json"
    jobs log4j -Dlog4j2.configurationFile=log4j2.xml >"$out/log4j2.log"
    jobs log4j -Dlog4j2.configurationFile=log4j2-json.xml >"$out/ecs.json"
    jobs jul >"$out/jul.log"
fi
