// Runs the extension against the real server, with an editor that is a few lines long.
// Usage: node drive.js PATH-TO-WATCHWORD
"use strict";

const assert = require("assert");
const Module = require("module");

const watchword = process.argv[2];

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}
const plain = (...fields) =>
  class {
    constructor(...values) {
      fields.forEach((field, i) => (this[field] = values[i]));
    }
  };
class WorkspaceEdit {
  constructor() {
    this.edits = [];
  }
  replace(uri, range, text) {
    this.edits.push({ uri, range, text });
  }
}

const registered = {};
const listeners = {};
const shown = new Map();
let told = () => {};
const errors = [];
const register = (what) => (_selector, provider) => {
  registered[what] = provider;
  return { dispose() {} };
};
const listen = (what) => (listener) => {
  listeners[what] = listener;
  return { dispose() {} };
};
const open = [];
const started = [];
let fired = 0;

const vscode = {
  Position,
  Range,
  WorkspaceEdit,
  Location: plain("uri", "range"),
  Hover: plain("contents", "range"),
  MarkdownString: plain("value"),
  SnippetString: plain("value"),
  Diagnostic: plain("range", "message", "severity"),
  DiagnosticRelatedInformation: plain("location", "message"),
  DocumentHighlight: plain("range", "kind"),
  DocumentSymbol: plain("name", "detail", "kind", "range", "selectionRange"),
  CompletionItem: plain("label", "kind"),
  CodeAction: plain("title", "kind"),
  CodeActionKind: { QuickFix: "quickfix" },
  TextEdit: { replace: (range, text) => ({ range, text }) },
  Uri: { parse: (text) => ({ toString: () => text }) },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => {
        shown.set(uri.toString(), list);
        told();
      },
      clear: () => shown.clear(),
      dispose() {},
    }),
    registerHoverProvider: register("hover"),
    registerDefinitionProvider: register("definition"),
    registerReferenceProvider: register("references"),
    registerDocumentHighlightProvider: register("highlights"),
    registerDocumentSymbolProvider: register("symbols"),
    registerCompletionItemProvider: register("completion"),
    registerRenameProvider: register("rename"),
    registerDocumentFormattingEditProvider: register("formatting"),
    registerCodeActionsProvider: register("actions"),
  },
  workspace: {
    textDocuments: open,
    getConfiguration: () => ({ get: () => watchword }),
    onDidOpenTextDocument: listen("open"),
    onDidChangeTextDocument: listen("change"),
    onDidCloseTextDocument: listen("close"),
  },
  window: {
    showErrorMessage: (message) => errors.push(message),
    showInputBox: async () => "./queue 5 20",
    showQuickPick: async (items) => items[items.length - 1],
    registerTreeDataProvider: register("tree"),
  },
  debug: {
    activeDebugSession: undefined,
    registerDebugAdapterDescriptorFactory: register("adapter"),
    registerDebugConfigurationProvider: register("configuration"),
    registerDebugAdapterTrackerFactory: register("tracker"),
    onDidTerminateDebugSession: listen("terminated"),
    startDebugging: async (_folder, configuration) => started.push(configuration),
  },
  DebugAdapterExecutable: plain("command", "args"),
  EventEmitter: class {
    constructor() {
      this.event = () => {};
      this.fire = () => fired++;
    }
  },
  TreeItem: plain("label", "collapsibleState"),
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  commands: {
    registerCommand: (command, run) => {
      registered[command] = run;
      return { dispose() {} };
    },
  },
};

const load = Module._load;
Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));
const extension = require("../extension.js");

const URI = "file:///project/a.ww";
const document = (text, version = 1, languageId = "watchword") => ({
  uri: vscode.Uri.parse(URI),
  languageId,
  version,
  getText: () => text,
});
const wrong = `event login(u)
event logout(u)

/// Nobody logs out twice.
property Once(u) {
  start state In { on logout(u) -> Outt }
  state Out { on login(u) -> In
    on logout(u) -> Twice }
  bad state Twice
}
`;
const good = wrong.replace("Outt", "Out");

/** The next diagnostics of the document. */
const published = () => new Promise((resolve) => (told = () => resolve(shown.get(URI))));

/** The debugger's half of the extension. */
async function debugging() {
  const executable = registered.adapter.createDebugAdapterDescriptor();
  assert.strictEqual(executable.command, watchword);
  assert.deepStrictEqual(executable.args, ["debug", "--dap"]);
  assert.deepStrictEqual((await initialized(executable)).supportsStepBack, true);

  vscode.window.activeTextEditor = {
    document: { languageId: "watchword", uri: { fsPath: "/project/queue.ww" } },
  };
  await registered["watchword.debug"]();
  const [configuration] = started;
  assert.strictEqual(configuration.program, "./queue");
  assert.deepStrictEqual(configuration.args, ["5", "20"]);
  assert.deepStrictEqual(configuration.properties, ["/project/queue.ww"]);
  const filled = await registered.configuration.resolveDebugConfiguration(undefined, {});
  assert.strictEqual(filled.name, "queue with queue.ww");
  assert.strictEqual(registered.configuration.provideDebugConfigurations()[0].type, "watchword");

  // Without a session there is nothing to see, and nothing to save.
  assert.deepStrictEqual(await registered.tree.getChildren(), []);
  await registered["watchword.checkpoint"]();
  assert.strictEqual(errors.length, 1);
  errors.length = 0;

  const asked = [];
  vscode.debug.activeDebugSession = {
    type: "watchword",
    customRequest: async (command, body) => {
      asked.push([command, body]);
      if (command === "watchword/checkpoints") {
        return { checkpoints: [{ number: 1, label: null, place: "main" }, { number: 2, label: "b" }] };
      }
      const instance = { binding: { q: "0x1" }, state: "Open", variables: { held: "2" } };
      return { properties: [{ property: "NoOverflow", total: 1, instances: [instance] }] };
    },
  };
  const [property] = await registered.tree.getChildren();
  assert.strictEqual(registered.tree.getTreeItem(property).description, "1 instance");
  const [instance] = await registered.tree.getChildren(property);
  assert.strictEqual(registered.tree.getTreeItem(instance).label, "q = 0x1");
  assert.strictEqual(registered.tree.getTreeItem(instance).tooltip, "held = 2");
  await registered["watchword.checkpoint"]();
  await registered["watchword.restore"]();
  assert.deepStrictEqual(asked[asked.length - 1], ["watchword/restore", { number: 2 }]);
  const before = fired;
  const tracker = registered.tracker.createDebugAdapterTracker();
  tracker.onDidSendMessage({ type: "event", event: "stopped" });
  tracker.onDidSendMessage({ type: "event", event: "output" });
  assert.strictEqual(fired, before + 1);
  vscode.debug.activeDebugSession = undefined;
}

/** What the adapter says it can do. */
function initialized({ command, args }) {
  const child = require("child_process").spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => {
    const text = JSON.stringify(message);
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("error", reject);
    child.stdout.on("data", (data) => {
      text += data;
      const at = text.indexOf("\r\n\r\n");
      if (at < 0) return;
      try {
        resolve(JSON.parse(text.slice(at + 4)).body);
        child.stdin.end();
      } catch {
        // There is more to come.
      }
    });
    send({ seq: 1, type: "request", command: "initialize", arguments: { adapterID: "watchword" } });
  });
}

async function main() {
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert(context.subscriptions.length >= 13);

  let next = published();
  listeners.open(document(wrong));
  let found = await next;
  assert.strictEqual(found[0].code, "WW0204");
  assert.strictEqual(found[0].severity, 0);

  const where = found[0].range;
  const [fix] = await registered.actions.provideCodeActions(document(wrong), where);
  assert.strictEqual(fix.title, "Write `Out`");
  assert.strictEqual(fix.edit.edits[0].text, "Out");

  next = published();
  const change = { range: fix.edit.edits[0].range, text: "Out" };
  listeners.change({ document: document(good, 2), contentChanges: [change] });
  found = await next;
  assert.deepStrictEqual(found, []);

  const doc = document(good, 2);
  const onLogout = new Position(5, 25);
  const hover = await registered.hover.provideHover(doc, onLogout);
  assert(hover.contents.value.includes("event logout(u)"));
  const [definition] = await registered.definition.provideDefinition(doc, onLogout);
  assert.strictEqual(definition.range.start.line, 1);
  const references = await registered.references.provideReferences(doc, onLogout, {
    includeDeclaration: true,
  });
  assert.strictEqual(references.length, 3);
  assert.strictEqual((await registered.highlights.provideDocumentHighlights(doc, onLogout)).length, 3);
  const symbols = await registered.symbols.provideDocumentSymbols(doc);
  assert.deepStrictEqual(
    symbols.map((s) => s.name),
    ["login", "logout", "Once"],
  );
  assert.strictEqual(symbols[2].children.length, 3);
  const items = await registered.completion.provideCompletionItems(doc, new Position(5, 22));
  const logout = items.find((i) => i.label === "logout");
  assert.strictEqual(logout.insertText.value, "logout(u)");
  const prepared = await registered.rename.prepareRename(doc, onLogout);
  assert.strictEqual(prepared.placeholder, "logout");
  const renamed = await registered.rename.provideRenameEdits(doc, onLogout, "leave");
  assert.strictEqual(renamed.edits.length, 3);
  await assert.rejects(registered.rename.provideRenameEdits(doc, onLogout, "login"));
  await assert.rejects(registered.rename.prepareRename(doc, new Position(2, 0)));
  const formatted = await registered.formatting.provideDocumentFormattingEdits(doc, {});
  assert.strictEqual(formatted.length, 1);

  next = published();
  listeners.close(doc);
  assert.deepStrictEqual(await next, []);
  listeners.open(document("not ours", 1, "plaintext"));

  await debugging();

  await registered["watchword.restart"]();
  assert.deepStrictEqual(errors, []);
  await extension.deactivate();
  console.log("ok");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
