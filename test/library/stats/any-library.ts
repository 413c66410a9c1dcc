import fc from "fast-check";

/** The files of a small library by path, with forks, sub-agents, placeholders, failures and records of several days. */
export type LibraryFiles = Readonly<Record<string, string>>;

interface Plan {
  readonly project: number;
  readonly turns: readonly TurnPlan[];
  readonly forkOf: number | undefined;
  /** Old versions of Claude Code did not mark what a fork copied. */
  readonly isMarked: boolean;
  readonly hasAgent: boolean;
}

interface TurnPlan {
  readonly gapMinutes: number;
  readonly output: number;
  readonly lines: number;
  readonly model: string;
  readonly branch: string | undefined;
  readonly call: "ok" | "error" | "open" | "commit" | undefined;
}

const anyTurn: fc.Arbitrary<TurnPlan> = fc.record({
  gapMinutes: fc.integer({ min: 0, max: 900 }),
  output: fc.integer({ min: 0, max: 500 }),
  lines: fc.integer({ min: 1, max: 3 }),
  model: fc.constantFrom("claude-opus-4-5-20251101", "claude-haiku-4-5", "unheard-of"),
  branch: fc.constantFrom("main", "fix", undefined),
  call: fc.constantFrom("ok", "error", "open", "commit", undefined),
});

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  project: fc.integer({ min: 0, max: 2 }),
  turns: fc.array(anyTurn, { maxLength: 5 }),
  forkOf: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  isMarked: fc.boolean(),
  hasAgent: fc.boolean(),
});

export const anyLibrary: fc.Arbitrary<LibraryFiles> = fc.array(anyPlan, { maxLength: 5 }).map(writeLibrary);

function writeLibrary(plans: readonly Plan[]): LibraryFiles {
  const files: Record<string, string> = {};
  const sessions: (readonly object[])[] = [];
  plans.forEach((plan, number) => {
    const id = `${number}0000000-0000-4000-8000-000000000000`;
    const folder = `projects/-home-p${plan.project}`;
    const copied = sessions[plan.forkOf ?? -1] ?? [];
    const mark = plan.isMarked ? { forkedFrom: { sessionId: "x" } } : {};
    const own = writeTurns(plan.turns, `s${number}`, { cwd: `/home/p${plan.project}`, sessionId: id });
    const records = [...copied.map((record) => ({ ...record, sessionId: id, ...mark })), ...own];
    sessions.push(records);
    files[`${folder}/${id}.jsonl`] = toLines(records);
    if (!plan.hasAgent) return;
    const agent = writeTurns(plan.turns, `a${number}`, { isSidechain: true, agentId: `a${number}`, sessionId: id });
    files[`${folder}/${id}/subagents/agent-a${number}.jsonl`] = toLines(agent);
  });
  return files;
}

function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function writeTurns(turns: readonly TurnPlan[], name: string, shared: object): object[] {
  const records: object[] = [];
  let time = Date.UTC(2026, 4, 1, 20);
  const write = (record: object) => {
    const uuid = `${name}-${records.length}`;
    const parentUuid = records.length === 0 ? null : `${name}-${records.length - 1}`;
    time += 1500;
    records.push({ ...shared, ...record, uuid, parentUuid, timestamp: new Date(time).toISOString() });
  };
  turns.forEach(({ gapMinutes, output, lines, model, branch, call }, number) => {
    time += gapMinutes * 60_000;
    const id = `msg-${name}-${number}`;
    write({ type: "user", message: { role: "user", content: `prompt ${number}` } });
    for (let line = 0; line < lines; line++) {
      const usage = {
        input_tokens: 3,
        output_tokens: line === lines - 1 ? output : 1,
        cache_creation_input_tokens: 40,
      };
      const content = [
        line === 0 && call
          ? { type: "tool_use", id: `call-${id}`, name: "Bash", input: {} }
          : { type: "text", text: "so" },
      ];
      write({ type: "assistant", gitBranch: branch, message: { id, role: "assistant", model, content, usage } });
    }
    if (call !== "open" && call !== undefined) {
      const content = call === "commit" ? `[main ${shaOf(name, number)}] Subject\n 1 file changed` : "out";
      const result = { type: "tool_result", tool_use_id: `call-${id}`, content, is_error: call === "error" };
      write({ type: "user", message: { role: "user", content: [result] } });
    }
  });
  return records;
}

function shaOf(name: string, number: number): string {
  return `${Buffer.from(name).toString("hex")}${number}`.padStart(7, "0");
}
