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
  window: { showErrorMessage: (message) => errors.push(message) },
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

  await registered["watchword.restart"]();
  assert.deepStrictEqual(errors, []);
  await extension.deactivate();
  console.log("ok");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
