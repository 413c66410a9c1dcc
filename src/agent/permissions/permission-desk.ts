import type { JsonObject } from "../../format/json.js";
import type { Action, Preview, Tool } from "../tools/tool.js";
import type { Refusal, ToolContext } from "../tools/tool-context.js";
import type { Workspace } from "../workspace.js";
import type { PermissionMode } from "./chat-settings.js";
import { hasGitName } from "./git-places.js";
import { judge } from "./judge.js";
import type { CommandPart, Judgement, Rules } from "./judgement.js";
import { findOtherName, hasDenyRules, READ_TOOLS } from "./path-rules.js";
import { parseRule } from "./rule.js";

export interface ApprovalRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  /** What the call would do, as far as the input alone does not show it. */
  readonly preview?: Preview | undefined;
  /** Of a command line: each command and redirection, with what was decided. */
  readonly parts?: readonly CommandPart[] | undefined;
  /** Rules that the answer `always` adds for this session. */
  readonly suggestions: readonly string[];
}

/** `no` ends the turn; words are told to the model, which continues. */
export type ApprovalAnswer = "yes" | "no" | "always" | { readonly feedback: string };

/** Asks the user for approval. */
export interface Approver {
  approve(request: ApprovalRequest): Promise<ApprovalAnswer>;
}

/** What a hook requests: skip the question, or ask one. */
export interface HookRequest {
  readonly isApproved: boolean;
  readonly question: string | undefined;
}

const NO_REQUEST: HookRequest = { isApproved: false, question: undefined };

export type Permission =
  | { readonly isGranted: true; readonly decision: JsonObject }
  | { readonly isGranted: false; readonly message: string }
  | { readonly isGranted: false; readonly refusal: Refusal };

/** Decides whether calls may run, and remembers the user's answers. One question at a time. */
export class PermissionDesk {
  #rules: Rules;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(
    rules: Rules,
    public mode: PermissionMode,
    private readonly workspace: Workspace,
    private readonly approver: Approver | undefined,
    private readonly isSandboxed = false,
  ) {
    this.#rules = rules;
  }

  get rules(): Rules {
    return this.#rules;
  }

  async decide(tool: Tool, input: unknown, context: ToolContext, hook: HookRequest = NO_REQUEST): Promise<Permission> {
    const action = tool.action(input, context);
    const look = () => {
      const situation = { tool: tool.name, rules: this.#rules, mode: this.mode, workspace: context.workspace };
      return withQuestion(this.#inSandbox(judge(action, situation), action), hook);
    };
    const first = look();
    const isApproved = hook.isApproved && hook.question === undefined;
    if (first.decision === "allow" || (first.decision === "ask" && isApproved)) return granted(first, context);
    if (first.decision === "deny") return refused(tool.name, first.reason);
    if (!this.approver || this.mode === "dontAsk") return refused(tool.name, howToAllow(first, this.mode));
    // An `always` for one of several parallel calls applies to the others too.
    const turn = this.#asking.then(async () => {
      if (context.signal.aborted) return refused(tool.name, "the turn was interrupted");
      const again = look();
      return again.decision === "ask"
        ? this.#ask(tool.name, input, again, tool.preview?.(input, context))
        : again.decision === "allow"
          ? granted(again, context)
          : refused(tool.name, again.reason);
    });
    this.#asking = turn.catch(() => undefined);
    return turn;
  }

  async #ask(
    tool: string,
    input: unknown,
    { reason, suggestions, parts }: Judgement,
    preview: Preview | undefined,
  ): Promise<Permission> {
    const answer = (await this.approver?.approve({ tool, input, reason, parts, suggestions, preview })) ?? "no";
    const refusal = toRefusal(answer);
    if (refusal) return { isGranted: false, refusal };
    if (answer === "always") for (const rule of suggestions) this.allow(rule);
    const scope = answer === "always" ? "session" : "once";
    return { isGranted: true, decision: { decision: "accept", source: "user_temporary", grantScope: scope } };
  }

  /**
   * Commands in the sandbox need no approval. Where rules forbid or ask for something, it cannot be told whether a command does it
   * in a way that nobody sees: then commands are judged as everywhere.
   */
  #inSandbox(judgement: Judgement, action: Action): Judgement {
    const { ask, deny } = this.#rules;
    const isFree = this.isSandboxed && action.kind === "shell" && judgement.decision === "ask";
    if (!isFree || judgement.because === "rule" || [...ask, ...deny].some(({ tool }) => CONCERN_COMMANDS.has(tool)))
      return judgement;
    return { ...judgement, decision: "allow", reason: "", because: "mode" };
  }

  forbidsReading(path: string, workspace: Workspace): boolean {
    const situation = { tool: "Read", rules: this.#rules, mode: this.mode, workspace };
    if (this.#rules.deny.length === 0) return false;
    if (hasGitName(path) && hasDenyRules(situation, READ_TOOLS)) return true;
    // Nobody can be asked about one file of a search, so a file that may be a denied one is left out.
    return judge({ kind: "read", path }, situation).decision === "deny" || findOtherName(path, situation) !== undefined;
  }

  /** For the rest of this session. */
  allow(rule: string): void {
    const parsed = parseRule(rule, this.workspace.projectRoot);
    if (parsed) this.#rules = { ...this.#rules, allow: [...this.#rules.allow, parsed] };
  }
}

const CONCERN_COMMANDS: ReadonlySet<string> = new Set(["Bash", "Read", "Edit", "Write", "MultiEdit"]);

/** Undefined: it is no refusal. */
export function toRefusal(answer: ApprovalAnswer): Refusal | undefined {
  if (answer === "yes" || answer === "always") return undefined;
  return { feedback: answer === "no" ? undefined : answer.feedback };
}

/** What was not asked runs as it was judged. */
function granted({ because, runs, git }: Judgement, context: ToolContext): Permission {
  context.git = git;
  context.judgedCommand = runs;
  return { isGranted: true, decision: { decision: "accept", source: "config", reasonType: because } };
}

/** Starts like Claude Code's denials, so that readers recognize it. */
function refused(tool: string, reason: string): Permission {
  return { isGranted: false, message: `Permission to use ${tool} has been denied: ${reason}.` };
}

/** A hook cannot turn a denial into a question. */
function withQuestion(judgement: Judgement, { question }: HookRequest): Judgement {
  if (question === undefined || judgement.decision === "deny") return judgement;
  return { ...judgement, decision: "ask", reason: `a hook requires approval (${question})`, suggestions: [] };
}

function howToAllow({ reason, suggestions }: Judgement, mode: PermissionMode): string {
  const unasked = mode === "dontAsk" ? "and dontAsk mode does not ask" : "and no user can be asked here";
  if (suggestions.length === 0) return `${reason}, ${unasked}`;
  const rules = suggestions.map((rule) => `"${rule}"`).join(" ");
  return `${reason}, ${unasked}. To allow it, use --allowed-tools ${rules}, or add ${suggestions.length > 1 ? "these rules" : "that rule"} to permissions.allow in ~/.claude/settings.json`;
}
