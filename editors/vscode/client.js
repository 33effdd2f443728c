// Speaks with `watchword lsp`: requests and notifications over a child process.
"use strict";

const { spawn } = require("child_process");

class Client {
  /**
   * @param {string} command the watchword binary
   * @param {(method: string, params: any) => void} onNotification
   * @param {(why: string) => void} onEnd called once if the server ends by itself
   */
  constructor(command, onNotification, onEnd) {
    this.onNotification = onNotification;
    this.next = 1;
    this.waiting = new Map();
    this.received = Buffer.alloc(0);
    this.ended = false;
    this.child = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "ignore"] });
    const end = (why) => {
      if (this.ended) return;
      this.ended = true;
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      onEnd(why);
    };
    this.child.on("error", (error) => end(error.message));
    this.child.on("exit", (code) => end(`the language server ended with status ${code}`));
    this.child.stdin.on("error", () => {}); // `exit` tells.
    this.child.stdout.on("data", (data) => this.receive(data));
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const headerEnd = this.received.indexOf("\r\n\r\n");
      if (headerEnd < 0) return;
      const header = this.received.toString("ascii", 0, headerEnd);
      const length = Number(/content-length: *(\d+)/i.exec(header)[1]);
      const end = headerEnd + 4 + length;
      if (this.received.length < end) return;
      const message = JSON.parse(this.received.toString("utf8", headerEnd + 4, end));
      this.received = this.received.subarray(end);
      this.dispatch(message);
    }
  }

  dispatch(message) {
    if (message.method !== undefined) {
      this.onNotification(message.method, message.params);
      return;
    }
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined) return;
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  send(message) {
    if (this.ended) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.ended) {
        reject(new Error("the language server is not running"));
        return;
      }
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  async stop() {
    if (this.ended) return;
    try {
      await this.request("shutdown", null);
      this.notify("exit", null);
    } finally {
      this.ended = true;
      this.child.stdin.end();
    }
  }
}

module.exports = { Client };
