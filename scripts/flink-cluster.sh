#!/bin/sh
# A job on a standalone cluster of Apache Flink on this machine: one process that coordinates and two task managers.
# One of them is killed (SIGKILL) while it is busy; later the job is stopped with a savepoint and continued with three
# subtasks on three task managers. What was found must be what `watchword replay` finds.
#
# Usage: scripts/flink-cluster.sh [EVENTS]    (per trace, of three traces; default 1000000)
#
# Needs Maven, a JDK 17, Python 3, and the release builds of watchword and watchword-flink.
set -eu
cd "$(dirname "$0")/.."
events=${1:-1000000}
bin=$(pwd)/${CARGO_TARGET_DIR:-target}/release
[ -x "$bin/watchword" ] && [ -f "$bin/libwatchword_flink.so" ] || {
    echo "cargo build --release -p watchword -p watchword-flink" >&2
    exit 2
}
work=$(mktemp -d)
processes=
finish() {
    # shellcheck disable=SC2086
    kill -9 $processes 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

mvn -q -B -f integrations/flink package \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$work/classpath"
classpath=$(cat "$work/classpath")
mkdir "$work/runtime" "$work/conf" "$work/logs" "$work/output"
cp "$bin/libwatchword_flink.so" integrations/flink/target/watchword-flink.jar "$work/runtime"

python3 scripts/flink-traces.py traces "$events" "$work"
"$bin/watchword" replay -q -p "$work/all.ww" --merge --sort-window 50ms --history 0 --max-violations 1 \
    --alert "file:$work/alerts" "$work"/logs/*.jsonl >/dev/null || [ $? -eq 1 ]
"$bin/watchword" flink -p "$work/all.ww" --source "files:$work/logs" --sink "files:$work/found" \
    --lateness 50ms --shards 32 --runtime "$work/runtime" --out "$work/job.jar"

cat >"$work/conf/config.yaml" <<EOF
jobmanager:
  rpc: {address: 127.0.0.1, port: 16123}
  memory: {process: {size: 1000m}}
rest: {address: 127.0.0.1, port: 18081}
taskmanager: {numberOfTaskSlots: 1}
execution:
  checkpointing: {interval: 1s, dir: "file://$work/checkpoints"}
restart-strategy: {type: fixed-delay, fixed-delay: {attempts: 20, delay: 1s}}
heartbeat: {interval: 500, timeout: 5000}
EOF
export FLINK_CONF_DIR="$work/conf"
opens="--add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED
    --add-opens=java.base/java.time=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED"
# shellcheck disable=SC2086
java $opens -Xmx512m -cp "$classpath" org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint \
    --configDir "$work/conf" >"$work/output/jobmanager" 2>&1 &
processes="$processes $!"

# Starts a task manager; its process is in $started.
start() {
    # shellcheck disable=SC2086
    java $opens -Xmx400m -cp "$classpath" org.apache.flink.runtime.taskexecutor.TaskManagerRunner \
        --configDir "$work/conf" -D taskmanager.cpu.cores=1 \
        -D taskmanager.memory.task.heap.size=256m -D taskmanager.memory.task.off-heap.size=0 \
        -D taskmanager.memory.managed.size=16m \
        -D taskmanager.memory.network.min=32m -D taskmanager.memory.network.max=32m \
        -D taskmanager.memory.framework.heap.size=64m -D taskmanager.memory.framework.off-heap.size=64m \
        -D taskmanager.memory.jvm-metaspace.size=128m -D taskmanager.memory.jvm-overhead.min=64m \
        -D taskmanager.memory.jvm-overhead.max=64m >"$work/output/taskmanager$1" 2>&1 &
    started=$!
    processes="$processes $started"
}
flink() {
    # shellcheck disable=SC2086
    java $opens -cp "$classpath" org.apache.flink.client.cli.CliFrontend "$@"
}
# A number of the running job: completed checkpoints, or its state.
ask() { python3 scripts/flink-traces.py ask "$1" "$job"; }
await_checkpoints() {
    while [ "$(ask checkpoints)" -lt "$1" ]; do
        [ "$(ask state)" != FINISHED ] || { echo "the job ended too early; use more events" >&2; exit 1; }
        sleep 0.2
    done
}

start 1
victim=$started
start 2
python3 scripts/flink-traces.py await 2
job=$(flink run -d -p 2 "$work/job.jar" --pause 20 | sed -n 's/.*JobID //p')
await_checkpoints 2
kill -9 "$victim"
echo "killed a task manager after $(ask checkpoints) checkpoints"
start 3
start 4
await_checkpoints 6
savepoint=$(flink stop --savepointPath "file://$work/savepoints" "$job" | sed -n 's/^Savepoint completed. Path: //p')
python3 scripts/flink-traces.py await 3
job=$(flink run -d -p 3 -s "$savepoint" "$work/job.jar" --pause 20 | sed -n 's/.*JobID //p')
echo "continued with three subtasks"
while [ "$(ask state)" = RUNNING ] || [ "$(ask state)" = CREATED ]; do sleep 0.5; done
[ "$(ask state)" = FINISHED ] || { ask state; exit 1; }
python3 scripts/flink-traces.py compare "$work"
