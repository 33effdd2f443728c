#!/bin/sh
# Makes the samples in this folder that come from real programs: on loopback, in a folder of its own that
# is removed afterwards. Programs that are not installed are left out. Debian's packages are nginx-core,
# apache2-bin, rsyslog, haproxy, postgresql, redis-server and python3; ROOT may name a folder into which
# some of them were unpacked.
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
