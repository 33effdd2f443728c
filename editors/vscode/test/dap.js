// Drives `watchword debug --dap` with the protocol client that Visual Studio Code's debug adapters are
// tested with. Usage: node dap.js WATCHWORD PROGRAM SOURCE PROPERTY, with the client on NODE_PATH. With
// RECORD=FILE, sessions are written to FILE-breakpoint.txt and FILE-violation.txt.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const [watchword, program, source, property] = process.argv.slice(2);

/** The command of the adapter, or one that writes down what it is asked. */
function adapter(session) {
  const plain = [watchword, "debug", "--dap"];
  if (!process.env.RECORD) return plain;
  const out = `${process.env.RECORD}-${session}.txt`;
  const head = `# @vscode/debugadapter-testsupport 1.68.0 (node ${process.version}) at queue.c`;
  fs.writeFileSync(out, `${head}\n`);
  return ["node", path.join(__dirname, "record.js"), out, path.dirname(program), ...plain];
}

/** A client at an adapter that was just started. */
async function begin(session) {
  const client = new DebugClient("node", "", "watchword");
  const { spawn } = require("child_process");
  const [command, ...args] = adapter(session);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  client.connect(child.stdout, child.stdin);
  client.adapter = child;
  client.ended = new Promise((resolve) => child.on("exit", resolve));
  return client;
}

async function end(client) {
  await client.disconnectRequest({});
  assert.strictEqual(await client.ended, 0);
}

/** To a breakpoint, as the client's own helper does it. */
async function hitsABreakpoint() {
  const client = await begin("breakpoint");
  const launch = { program, args: ["2", "2"] };
  await client.hitBreakpoint(launch, { path: source, line: 82 });
  const { body } = await client.threadsRequest();
  assert.strictEqual(body.threads.length, 1);
  const [thread] = body.threads;
  const trace = await client.stackTraceRequest({ threadId: thread.id });
  assert.strictEqual(trace.body.stackFrames[0].name, "main");
  const scopes = await client.scopesRequest({ frameId: trace.body.stackFrames[0].id });
  assert.deepStrictEqual(
    scopes.body.scopes.map((s) => s.name),
    ["Arguments", "Locals", "Registers"],
  );
  await Promise.all([
    client.nextRequest({ threadId: thread.id }),
    client.assertStoppedLocation("step", { path: source, line: 83 }),
  ]);
  await Promise.all([
    client.assertOutput("stdout", "2 producers, 2 consumers, all done\n"),
    client.continueRequest({ threadId: thread.id }),
    client.waitForEvent("terminated"),
  ]);
  await end(client);
}

/** A violation is an exception. */
async function stopsAtAViolation() {
  const client = await begin("violation");
  await Promise.all([
    client.configurationSequence(),
    client.launch({ program, args: ["5", "20", "3"], properties: [property] }),
    client.assertStoppedLocation("exception", { path: source, line: 29 }).then(async (stop) => {
      assert(stop.body.stackFrames.length > 1);
    }),
  ]);
  const { body } = await client.send("exceptionInfo", { threadId: 1 });
  assert.strictEqual(body.exceptionId, "NoOverflow");
  assert(body.details.history.length > 2);
  await end(client);
}

(async () => {
  await hitsABreakpoint();
  await stopsAtAViolation();
  console.log("ok");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
