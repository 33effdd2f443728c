// Stands between an editor and a debug adapter, and writes down what they say to each other: a line per
// message, `> ` before those of the editor and `< ` before those of the adapter. The folder of the session
// is written as $DIR. Usage: node record.js OUT DIR ADAPTER ARGUMENTS...
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");

const [out, folder, adapter, ...args] = process.argv.slice(2);
const child = spawn(adapter, args, { stdio: ["pipe", "pipe", "inherit"] });

/** Passes a stream on, and writes down its messages. */
function pass(from, to, mark) {
  let waiting = Buffer.alloc(0);
  from.on("data", (data) => {
    waiting = Buffer.concat([waiting, data]);
    for (;;) {
      const end = waiting.indexOf("\r\n\r\n");
      const header = /Content-Length: (\d+)/.exec(waiting.subarray(0, Math.max(end, 0)));
      if (!header || waiting.length < end + 4 + Number(header[1])) break;
      const message = waiting.subarray(end + 4, end + 4 + Number(header[1])).toString();
      fs.appendFileSync(out, `${mark} ${message.replaceAll(folder, "$DIR")}\n`);
      waiting = waiting.subarray(end + 4 + Number(header[1]));
    }
    to.write(data);
  });
  from.on("end", () => to.end());
}

pass(process.stdin, child.stdin, ">");
pass(child.stdout, process.stdout, "<");
child.on("exit", (code) => process.exit(code === null ? 1 : code));
