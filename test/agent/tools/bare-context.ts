import { onTestFinished } from "vitest";
import { Shells } from "../../../src/agent/tools/shell/shells.js";
import type { ToolContext } from "../../../src/agent/tools/tool-context.js";
import { Workspace } from "../../../src/agent/workspace.js";

/** What a tool gets of a chat, without a chat: for what happens in a tool alone. */
export function bareContext(project: string, parts: Partial<ToolContext> = {}): ToolContext {
  const shells = new Shells(() => undefined);
  onTestFinished(() => shells.close());
  const missing = async (): Promise<never> => {
    throw new Error("not in this test");
  };
  return {
    callId: "call",
    signal: new AbortController().signal,
    workspace: new Workspace(project, [], project),
    shells,
    sandbox: undefined,
    git: undefined,
    progress: () => undefined,
    beforeChange: () => undefined,
    keepOutput: () => "",
    notePullRequest: () => undefined,
    askModel: missing,
    searchWeb: missing,
    launchAgent: missing,
    askPerson: missing,
    leavePlanMode: missing,
    allowsPrivateAddresses: false,
    isHidden: () => false,
    ...parts,
  };
}
