/**
 * Where text can stand in a session. `text` takes anything, `word` one word without blanks, such as a part of a file name.
 */
export const PLACES = {
  prompt: { takes: "text" },
  "prompt in blocks": { takes: "text" },
  answer: { takes: "text" },
  thinking: { takes: "text" },
  "Bash command": { takes: "text" },
  "Edit strings": { takes: "text" },
  "Write content": { takes: "text" },
  "WebFetch prompt": { takes: "text" },
  "MCP input": { takes: "text" },
  "unknown tool's input": { takes: "text" },
  "tool result as a string": { takes: "text" },
  "tool result in blocks": { takes: "text" },
  "failed tool result": { takes: "text" },
  stdout: { takes: "text" },
  stderr: { takes: "text" },
  "structured patch": { takes: "text" },
  "original file": { takes: "text" },
  "read file": { takes: "text" },
  "MCP result": { takes: "text" },
  "to-do": { takes: "text" },
  "question and answer": { takes: "text" },
  plan: { takes: "text" },
  "attached file": { takes: "text" },
  "queued command": { takes: "text" },
  "queue operation": { takes: "text" },
  "hook output": { takes: "text" },
  "hook summary": { takes: "text" },
  "API error": { takes: "text" },
  "local command": { takes: "text" },
  "shell line": { takes: "text" },
  "system reminder": { takes: "text" },
  progress: { takes: "text" },
  "compaction summary": { takes: "text" },
  "request log": { takes: "text" },
  "last prompt": { takes: "text" },
  "unknown record": { takes: "text" },
  "broken line": { takes: "text" },
  "rewound branch": { takes: "text" },
  "sub-agent prompt": { takes: "text" },
  "sub-agent result": { takes: "text" },
  "sub-agent description": { takes: "word" },
  "spilled output": { takes: "text" },
  "file backup": { takes: "text" },
  "prompt history": { takes: "text" },
  title: { takes: "word" },
  "AI title": { takes: "word" },
  summary: { takes: "word" },
  "git branch": { takes: "word" },
  "working folder": { takes: "word" },
  "file name": { takes: "word" },
  "file name in a snapshot": { takes: "word" },
  "MCP server": { takes: "word" },
  "web address": { takes: "word" },
  tag: { takes: "word" },
  "pull request": { takes: "word" },
} as const;

export type PlaceName = keyof typeof PLACES;

type TextsAt = (place: PlaceName) => readonly string[];

/** The files of a session, by path below Claude Code's folder. */
export function sessionFiles(id: string, textsAt: TextsAt): Record<string, string> {
  const folder = "projects/-home-dev-shop";
  const all = (place: PlaceName) => textsAt(place).join("\n\n");
  const history = textsAt("prompt history").map((display) =>
    JSON.stringify({ display, pastedContents: {}, timestamp: 1, project: "/home/dev/shop", sessionId: id }),
  );
  return {
    [`${folder}/${id}.jsonl`]: transcript(id, textsAt),
    [`${folder}/${id}/subagents/agent-a1b2c3d.jsonl`]: agentTranscript(id, textsAt),
    [`${folder}/${id}/tool-results/toolu_spilled.txt`]: `first\n${all("spilled output")}\nlast\n`,
    [`file-history/${id}/0123456789abcdef@v1`]: all("file backup"),
    "history.jsonl": `${history.join("\n")}\n`,
  };
}

interface Chain {
  next(record: object): void;
  readonly lines: string[];
}

function chain(id: string, cwd: string, gitBranch: string, first: number): Chain {
  const lines: string[] = [];
  let number = first;
  let parentUuid: string | null = null;
  return {
    lines,
    next(record) {
      const uuid = `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`;
      const timestamp = new Date(Date.UTC(2026, 4, 1, 10, 0, number)).toISOString();
      const envelope = { parentUuid, isSidechain: false, userType: "external", cwd, sessionId: id, version: "2.1.326" };
      lines.push(JSON.stringify({ ...envelope, gitBranch, uuid, timestamp, ...record }));
      parentUuid = uuid;
    },
  };
}

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more });

let messages = 0;
function assistant(...content: readonly object[]) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: `msg_${++messages}`, type: "message", role: "assistant", model: "claude-opus-4-5", content };
  return { type: "assistant", message: { ...message, stop_reason: "end_turn", usage }, requestId: `req_${messages}` };
}

const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const attachment = (content: object) => ({ type: "attachment", attachment: content });

function transcript(id: string, textsAt: TextsAt): string {
  const all = (place: PlaceName) => textsAt(place).join("\n\n");
  const word = (place: PlaceName) => textsAt(place)[0] ?? "none";
  const { next, lines } = chain(id, `/home/dev/shop/${word("working folder")}`, `fix/${word("git branch")}`, 0);
  const side = (record: object) => lines.push(JSON.stringify({ ...record, sessionId: id }));
  side({ type: "custom-title", customTitle: `Deploy ${word("title")}` });
  side({ type: "ai-title", aiTitle: `Work on ${word("AI title")}` });
  lines.push(JSON.stringify({ type: "summary", summary: `About ${word("summary")}`, leafUuid: "x" }));
  side({ type: "tag", tag: word("tag") });
  const address = `https://git.example.org/${word("pull request")}/pull/7`;
  side({ type: "pr-link", prNumber: 7, prUrl: address, prRepository: "acme/shop", timestamp: "2026-05-01T10:00:00Z" });
  side({
    type: "queue-operation",
    operation: "enqueue",
    timestamp: "2026-05-01T10:00:00Z",
    content: all("queue operation"),
  });
  next(user(`Please look:\n${all("prompt")}`));
  next(assistant({ type: "thinking", thinking: all("thinking"), signature: "c2ln" }));
  next(assistant({ type: "text", text: all("answer") }));
  next({ type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "manual", preTokens: 10 } });
  next(user(`This session is being continued: ${all("compaction summary")}`, { isCompactSummary: true }));
  conversation(next, textsAt);
  records(next, side, textsAt);
  lines.push(`{"type":"user","message":{"content":${JSON.stringify(all("broken line"))}`);
  next(user("and now?"));
  next(assistant({ type: "text", text: "Done." }));
  return `${lines.join("\n")}\n`;
}

type Next = Chain["next"];

/** Calls with their results. */
function conversation(next: Next, textsAt: TextsAt): void {
  const all = (place: PlaceName) => textsAt(place).join("\n\n");
  const word = (place: PlaceName) => textsAt(place)[0] ?? "none";
  next(user([{ type: "text", text: all("prompt in blocks") }]));
  next(assistant(use("t1", "Bash", { command: all("Bash command"), description: "run" })));
  next(
    user([result("t1", all("tool result as a string"))], {
      toolUseResult: { stdout: all("stdout"), stderr: all("stderr"), interrupted: false, isImage: false },
    }),
  );
  const file = `/home/dev/shop/${word("file name")}.txt`;
  const [oldText = "", ...newTexts] = textsAt("Edit strings");
  next(assistant(use("t2", "Edit", { file_path: file, old_string: oldText, new_string: newTexts.join("\n") })));
  const patch = [
    " same",
    ...all("structured patch")
      .split("\n")
      .map((line) => `+${line}`),
  ];
  next(
    user([result("t2", "ok")], {
      toolUseResult: {
        filePath: file,
        oldString: oldText,
        newString: newTexts.join("\n"),
        originalFile: all("original file"),
        structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: patch.length, lines: patch }],
      },
    }),
  );
  next(assistant(use("t3", "Write", { file_path: "/home/dev/shop/a.env", content: all("Write content") })));
  next(user([result("t3", [{ type: "text", text: all("tool result in blocks") }])]));
  const url = `https://example.org/a?v=${word("web address")}`;
  next(assistant(use("t4", "WebFetch", { url, prompt: all("WebFetch prompt") })));
  next(user([result("t4", all("failed tool result"), { is_error: true })], { toolUseResult: "Error: failed" }));
  next(assistant(use("t5", `mcp__${word("MCP server")}__ask`, { question: all("MCP input"), deep: { list: [1] } })));
  next(user([result("t5", [{ type: "text", text: all("MCP result") }])]));
  next(assistant(use("t6", "Read", { file_path: "/home/dev/shop/b.txt" })));
  next(
    user([result("t6", all("read file").replace(/^/gm, "     1→"))], {
      toolUseResult: {
        type: "text",
        file: { filePath: "/home/dev/shop/b.txt", content: all("read file"), numLines: 3 },
      },
    }),
  );
  next(assistant(use("t7", "TodoWrite", { todos: [{ content: all("to-do"), status: "pending", activeForm: "x" }] })));
  next(user([result("t7", "ok")], { toolUseResult: { oldTodos: [], newTodos: [] } }));
  next(assistant(use("t8", "FutureTool", { anything: { inside: all("unknown tool's input") } })));
  next(user([result("t8", "ok")]));
  const question = { question: "Which one?", header: "Choice", options: [{ label: "this", description: "x" }] };
  next(assistant(use("t9", "AskUserQuestion", { questions: [question] })));
  const answers = { "Which one?": all("question and answer") };
  next(user([result("t9", `User has answered: ${all("question and answer")}`)], { toolUseResult: { answers } }));
  next(assistant(use("t10", "ExitPlanMode", { plan: all("plan") })));
  next(user([result("t10", "User has approved your plan.")], { toolUseResult: { plan: all("plan"), isAgent: false } }));
  const agent = {
    description: `see ${word("sub-agent description")}`,
    prompt: all("sub-agent prompt"),
    subagent_type: "Explore",
  };
  next(assistant(use("t11", "Task", agent)));
  next(
    user([result("t11", [{ type: "text", text: all("sub-agent result") }])], {
      toolUseResult: {
        status: "completed",
        agentId: "a1b2c3d",
        prompt: agent.prompt,
        content: [{ type: "text", text: all("sub-agent result") }],
      },
    }),
  );
  next(assistant(use("t12", "Bash", { command: "make all" })));
  next(
    user(
      [
        result(
          "t12",
          "<persisted-output>\nOutput too large. Full output saved to: tool-results/toolu_spilled.txt\n</persisted-output>",
        ),
      ],
      {
        toolUseResult: { stdout: "", stderr: "", interrupted: false, persistedOutputPath: "toolu_spilled.txt" },
      },
    ),
  );
}

/** Everything else that a version of Claude Code writes. */
function records(next: Next, side: (record: object) => void, textsAt: TextsAt): void {
  const all = (place: PlaceName) => textsAt(place).join("\n\n");
  const word = (place: PlaceName) => textsAt(place)[0] ?? "none";
  const file = { filePath: "/home/dev/shop/notes.txt", content: all("attached file"), numLines: 4, startLine: 1 };
  next(
    attachment({ type: "file", filename: file.filePath, content: { type: "text", file }, displayPath: "notes.txt" }),
  );
  next(attachment({ type: "queued_command", prompt: all("queued command"), commandMode: "prompt" }));
  const hook = { type: "hook_success", hookName: "Stop", hookEvent: "Stop", exitCode: 0, command: "echo" };
  next(attachment({ ...hook, content: all("hook output"), stdout: all("hook output"), stderr: "" }));
  next({
    type: "system",
    subtype: "stop_hook_summary",
    hookCount: 1,
    hookInfos: [{ command: all("hook summary") }],
    hookErrors: [all("hook summary")],
  });
  next({ type: "system", subtype: "api_error", level: "error", error: { status: 529, message: all("API error") } });
  next({
    type: "system",
    subtype: "local_command",
    content: `<local-command-stdout>${all("local command")}</local-command-stdout>`,
  });
  next(user(`<bash-input>${all("shell line")}</bash-input>`));
  next(user(`<bash-stdout>${all("shell line")}</bash-stdout><bash-stderr></bash-stderr>`));
  next(user(`<system-reminder>\n${all("system reminder")}\n</system-reminder>`, { isMeta: true }));
  next({ type: "progress", data: { type: "bash_progress", output: all("progress"), fullOutput: all("progress") } });
  side({ type: "api-request-blob", hash: "0".repeat(64), message: { role: "user", content: all("request log") } });
  side({ type: "last-prompt", lastPrompt: all("last prompt") });
  side({ type: "future-record", payload: { text: all("unknown record") } });
  const tracked = { [`/home/dev/shop/${word("file name in a snapshot")}.txt`]: { backupFileName: "x@v1", version: 1 } };
  side({
    type: "file-history-snapshot",
    messageId: "m",
    snapshot: { messageId: "m", trackedFileBackups: tracked, timestamp: "2026-05-01T10:00:00Z" },
    isSnapshotUpdate: false,
  });
  const root = { parentUuid: "00000000-0000-4000-8000-000000000001" };
  const uuid = "00000000-0000-4000-8000-0000000000ff";
  side({ ...user(all("rewound branch")), ...root, uuid, timestamp: "2026-05-01T10:00:01Z", isSidechain: false });
}

function agentTranscript(id: string, textsAt: TextsAt): string {
  const { next, lines } = chain(id, "/home/dev/shop", "main", 500);
  const more = { isSidechain: true, agentId: "a1b2c3d" };
  next({ ...user(textsAt("sub-agent prompt").join("\n\n")), ...more });
  next({ ...assistant({ type: "text", text: textsAt("sub-agent result").join("\n\n") }), ...more });
  return `${lines.join("\n")}\n`;
}
