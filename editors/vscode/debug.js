// Debugging with properties in Visual Studio Code: the adapter is `watchword debug --dap`.
"use strict";

const path = require("path");
const vscode = require("vscode");

const TYPE = "watchword";

const binary = () => vscode.workspace.getConfiguration("watchword").get("path", "watchword");

/** Starts the adapter. */
const adapters = {
  createDebugAdapterDescriptor() {
    return new vscode.DebugAdapterExecutable(binary(), ["debug", "--dap"]);
  },
};

/** Fills in what the person left out. */
const configurations = {
  provideDebugConfigurations() {
    return [
      {
        type: TYPE,
        request: "launch",
        name: "Debug with properties",
        program: "${workspaceFolder}/a.out",
        args: [],
        properties: [],
      },
    ];
  },
  async resolveDebugConfiguration(_folder, configuration) {
    // Without a launch.json, everything is empty.
    if (!configuration.type && !configuration.request && !configuration.name) {
      return debugged(vscode.window.activeTextEditor && vscode.window.activeTextEditor.document);
    }
    return configuration;
  },
};

/** A configuration for the property file that is open, with a program the person names. */
async function debugged(document) {
  const program = await vscode.window.showInputBox({
    prompt: "The program to debug, with its arguments",
    placeHolder: "./queue 5 20 3",
  });
  if (!program) return undefined;
  const [name, ...args] = program.trim().split(/\s+/);
  const isProperty = document && document.languageId.startsWith("watchword");
  const isScenario = isProperty && document.languageId === "watchword-scenario";
  const file = isProperty ? document.uri.fsPath : undefined;
  const configuration = {
    type: TYPE,
    request: "launch",
    name: isProperty ? `${path.basename(name)} with ${path.basename(file)}` : path.basename(name),
    program: name,
    args,
  };
  const folder = (vscode.workspace.workspaceFolders || [])[0];
  if (folder) configuration.cwd = folder.uri.fsPath;
  if (isScenario) configuration.scenario = file;
  else if (isProperty) configuration.properties = [file];
  return configuration;
}

/** Properties, and the instances beneath them, as they are where the program stands. */
class Monitors {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
  }
  refresh() {
    this.changed.fire();
  }
  getTreeItem(element) {
    const state = element.children
      ? vscode.TreeItemCollapsibleState.Expanded
      : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(element.label, state);
    item.description = element.description;
    item.tooltip = element.tooltip;
    return item;
  }
  async getChildren(element) {
    if (element) return element.children || [];
    const session = vscode.debug.activeDebugSession;
    if (!session || session.type !== TYPE) return [];
    let seen;
    try {
      seen = await session.customRequest("watchword/monitors");
    } catch {
      // The session has just ended.
      return [];
    }
    const fields = (all) =>
      Object.entries(all)
        .map(([name, value]) => `${name} = ${value}`)
        .join(", ");
    return seen.properties.map((property) => ({
      label: property.property,
      description: property.total === 1 ? "1 instance" : `${property.total} instances`,
      children: property.instances.map((instance) => ({
        label: fields(instance.binding) || "(nothing bound)",
        description: instance.state || "(ended)",
        tooltip: fields(instance.variables),
      })),
    }));
  }
}

/** Does something with the session, if there is one. */
const withSession = (act) => async () => {
  const session = vscode.debug.activeDebugSession;
  if (!session || session.type !== TYPE) {
    vscode.window.showErrorMessage("Watchword: there is no program that is debugged.");
    return;
  }
  try {
    await act(session);
  } catch (error) {
    vscode.window.showErrorMessage(`Watchword: ${error.message}`);
  }
};

async function checkpoint(session) {
  await session.customRequest("watchword/checkpoint", {});
}

async function restore(session) {
  const { checkpoints } = await session.customRequest("watchword/checkpoints");
  const picked = await vscode.window.showQuickPick(
    checkpoints.map((c) => ({ label: String(c.number), description: c.label || "", detail: c.place })),
    { placeHolder: "The checkpoint to go back to" },
  );
  if (picked) await session.customRequest("watchword/restore", { number: Number(picked.label) });
}

/** Registers everything; what is returned is disposed of with the extension. */
function register() {
  const { commands, debug, window } = vscode;
  const monitors = new Monitors();
  const tracker = {
    createDebugAdapterTracker: () => ({
      onDidSendMessage: (message) => {
        if (message.type === "event" && message.event === "stopped") monitors.refresh();
      },
    }),
  };
  return [
    debug.registerDebugAdapterDescriptorFactory(TYPE, adapters),
    debug.registerDebugConfigurationProvider(TYPE, configurations),
    debug.registerDebugAdapterTrackerFactory(TYPE, tracker),
    debug.onDidTerminateDebugSession(() => monitors.refresh()),
    window.registerTreeDataProvider("watchword.monitors", monitors),
    commands.registerCommand("watchword.debug", async () => {
      const editor = window.activeTextEditor;
      const configuration = await debugged(editor && editor.document);
      if (configuration) await debug.startDebugging(undefined, configuration);
    }),
    commands.registerCommand("watchword.checkpoint", withSession(checkpoint)),
    commands.registerCommand("watchword.restore", withSession(restore)),
  ];
}

module.exports = { register };
