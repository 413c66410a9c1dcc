import type { AgentType } from "./agent-types.js";
import type { ChatOptions } from "./chat-options.js";
import { type MemoryFile, readMemoryFiles } from "./context/memory-files.js";
import { systemPrompt } from "./context/system-prompt.js";
import { findGitRoot } from "./record/git-branch.js";
import type { Workspace } from "./tools/workspace.js";

const OUTSIDE = "it lies outside of the project, from where only Markdown is taken";

/** The system prompts of a chat. What they tell is read once, so that the cache is hit all the time. */
export class SystemPrompts {
  readonly #memory: readonly MemoryFile[];
  readonly #isGitRepository: boolean;
  readonly #date = new Date().toISOString().slice(0, 10);

  constructor(
    private readonly options: ChatOptions,
    private readonly workspace: Workspace,
  ) {
    const { cwd, home, configRoot, listen } = options;
    const onLeftOut = (path: string) =>
      listen({ kind: "notice", text: `${path} is not told to the model: ${OUTSIDE}` });
    this.#memory = readMemoryFiles({ cwd, home, configRoot, onLeftOut });
    // Git itself is not run here: the configuration of a cloned repository may name commands for it to run.
    this.#isGitRepository = findGitRoot(cwd) !== undefined;
  }

  ofMain(model: string, isPlanMode: boolean): readonly string[] {
    return this.#prompt(model, this.options.appendSystemPrompt, isPlanMode);
  }

  ofAgent({ system }: AgentType, model: string): readonly string[] {
    return this.#prompt(model, system, false);
  }

  #prompt(model: string, appended: string | undefined, isPlanMode: boolean): readonly string[] {
    return systemPrompt({
      cwd: this.options.cwd,
      platform: process.platform,
      date: this.#date,
      model,
      isGitRepository: this.#isGitRepository,
      memory: this.#memory,
      additionalDirectories: this.workspace.roots.slice(1),
      appended,
      isPlanMode,
    });
  }
}
