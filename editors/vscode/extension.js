// Watchword in Visual Studio Code. Plain JavaScript, no dependencies, no build.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client");
const debug = require("./debug");

const LANGUAGES = [
  "watchword",
  "watchword-topl",
  "watchword-verde",
  "watchword-larva",
  "watchword-scenario",
];

let client;
let diagnostics;

const position = (p) => new vscode.Position(p.line, p.character);
const range = (r) => new vscode.Range(position(r.start), position(r.end));
const location = (l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range));
const name = (document) => ({ uri: document.uri.toString() });
const at = (document, p) => ({
  textDocument: name(document),
  position: { line: p.line, character: p.character },
});

/** An edit of several documents. */
function workspaceEdit(changes) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(changes)) {
    for (const e of edits) edit.replace(vscode.Uri.parse(uri), range(e.range), e.newText);
  }
  return edit;
}

function diagnostic(d) {
  // The protocol counts severities from 1, the editor from 0.
  const shown = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
  shown.code = d.code;
  shown.source = d.source;
  shown.tags = d.tags;
  shown.relatedInformation = (d.relatedInformation || []).map(
    (r) => new vscode.DiagnosticRelatedInformation(location(r.location), r.message),
  );
  return shown;
}

function symbol(s) {
  const shown = new vscode.DocumentSymbol(
    s.name,
    s.detail,
    s.kind - 1,
    range(s.range),
    range(s.selectionRange),
  );
  shown.children = s.children.map(symbol);
  return shown;
}

function completion(item) {
  const shown = new vscode.CompletionItem(item.label, item.kind - 1);
  shown.detail = item.detail;
  if (item.documentation) shown.documentation = item.documentation;
  if (item.insertText) {
    shown.insertText =
      item.insertTextFormat === 2 ? new vscode.SnippetString(item.insertText) : item.insertText;
  }
  return shown;
}

const providers = {
  async provideHover(document, p) {
    const hover = await client.request("textDocument/hover", at(document, p));
    if (!hover) return undefined;
    return new vscode.Hover(new vscode.MarkdownString(hover.contents.value), range(hover.range));
  },
  async provideDefinition(document, p) {
    return (await client.request("textDocument/definition", at(document, p))).map(location);
  },
  async provideReferences(document, p, context) {
    const params = { ...at(document, p), context };
    return (await client.request("textDocument/references", params)).map(location);
  },
  async provideDocumentHighlights(document, p) {
    const found = await client.request("textDocument/documentHighlight", at(document, p));
    return found.map((h) => new vscode.DocumentHighlight(range(h.range), h.kind - 1));
  },
  async provideDocumentSymbols(document) {
    const params = { textDocument: name(document) };
    return (await client.request("textDocument/documentSymbol", params)).map(symbol);
  },
  async provideCompletionItems(document, p) {
    const list = await client.request("textDocument/completion", at(document, p));
    return list.items.map(completion);
  },
  async prepareRename(document, p) {
    const found = await client.request("textDocument/prepareRename", at(document, p));
    if (!found) throw new Error("There is no name here that could be changed.");
    return { range: range(found.range), placeholder: found.placeholder };
  },
  async provideRenameEdits(document, p, newName) {
    const params = { ...at(document, p), newName };
    return workspaceEdit((await client.request("textDocument/rename", params)).changes);
  },
  async provideDocumentFormattingEdits(document, options) {
    const params = { textDocument: name(document), options };
    const edits = await client.request("textDocument/formatting", params);
    return edits.map((e) => vscode.TextEdit.replace(range(e.range), e.newText));
  },
  async provideCodeActions(document, where) {
    const asked = {
      start: { line: where.start.line, character: where.start.character },
      end: { line: where.end.line, character: where.end.character },
    };
    const params = { textDocument: name(document), range: asked, context: { diagnostics: [] } };
    const actions = await client.request("textDocument/codeAction", params);
    return actions.map((a) => {
      const action = new vscode.CodeAction(a.title, vscode.CodeActionKind.QuickFix);
      action.edit = workspaceEdit(a.edit.changes);
      action.diagnostics = a.diagnostics.map(diagnostic);
      action.isPreferred = a.isPreferred;
      return action;
    });
  },
};

const ours = (document) => LANGUAGES.includes(document.languageId);

function opened(document) {
  if (!ours(document)) return;
  client.notify("textDocument/didOpen", {
    textDocument: {
      ...name(document),
      languageId: document.languageId,
      version: document.version,
      text: document.getText(),
    },
  });
}

function changed(event) {
  if (!ours(event.document) || event.contentChanges.length === 0) return;
  client.notify("textDocument/didChange", {
    textDocument: { ...name(event.document), version: event.document.version },
    contentChanges: event.contentChanges.map((c) => ({
      range: {
        start: { line: c.range.start.line, character: c.range.start.character },
        end: { line: c.range.end.line, character: c.range.end.character },
      },
      text: c.text,
    })),
  });
}

function closed(document) {
  if (!ours(document)) return;
  client.notify("textDocument/didClose", { textDocument: name(document) });
}

async function start() {
  const command = vscode.workspace.getConfiguration("watchword").get("path", "watchword");
  client = new Client(
    command,
    (method, params) => {
      if (method === "textDocument/publishDiagnostics") {
        diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
      }
    },
    (why) => {
      vscode.window.showErrorMessage(
        `Watchword: ${why}. Is \`${command}\` installed? The setting watchword.path names it.`,
      );
    },
  );
  await client.request("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  client.notify("initialized", {});
  vscode.workspace.textDocuments.forEach(opened);
}

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection("watchword");
  const own = { language: "watchword" };
  const all = LANGUAGES.map((language) => ({ language }));
  const { languages, workspace, commands } = vscode;
  context.subscriptions.push(
    diagnostics,
    languages.registerHoverProvider(own, providers),
    languages.registerDefinitionProvider(own, providers),
    languages.registerReferenceProvider(own, providers),
    languages.registerDocumentHighlightProvider(own, providers),
    languages.registerDocumentSymbolProvider(own, providers),
    languages.registerCompletionItemProvider(own, providers, "(", ">", "{", ":", " "),
    languages.registerRenameProvider(own, providers),
    languages.registerDocumentFormattingEditProvider(own, providers),
    languages.registerCodeActionsProvider(all, providers, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    workspace.onDidOpenTextDocument(opened),
    workspace.onDidChangeTextDocument(changed),
    workspace.onDidCloseTextDocument(closed),
    commands.registerCommand("watchword.restart", async () => {
      await client.stop();
      diagnostics.clear();
      await start();
    }),
    ...debug.register(),
  );
  await start();
}

async function deactivate() {
  if (client) await client.stop();
}

module.exports = { activate, deactivate };
