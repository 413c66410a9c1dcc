import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Row = Record<string, unknown>;
export type TurnKind = "answer" | "tool" | "fork" | "fork of a sub-agent" | "left open";
export type CopyWay = "branch" | "fork" | "background" | "new uuids";

/** A session file that copies are made of. */
interface Copied {
  readonly id: string;
  readonly path: string;
  readonly rows: Row[];
  /** How many rows there were at the end of each turn. */
  readonly ends: number[];
  /** The call of the last turn that still waits for its result, and the session that asked the turn. */
  open: { readonly call: string; readonly asker: string } | undefined;
}

/** Sessions and their copies, as Claude Code 2.1.326 writes them, and what was asked and answered in all of them. */
export class ForkWorld {
  readonly sessions: Copied[] = [];
  /** The session in which the turn of each API message was asked, by the id of the message. */
  readonly messages = new Map<string, string>();
  readonly calls: string[] = [];
  readonly prompts: string[] = [];
  readonly #start = Date.now() - 30_000; // sessions that are alive
  #count = 0;

  constructor(private readonly project: string) {
    mkdirSync(project, { recursive: true });
    this.#open([], []);
  }

  session(number: number): Copied {
    return this.sessions[number % this.sessions.length] as Copied;
  }

  turn(session: Copied, kind: TurnKind): void {
    this.#complete(session);
    const prompt = this.#next("ask");
    this.prompts.push(prompt);
    this.#write(session, user(prompt));
    switch (kind) {
      case "answer":
        break;
      case "tool":
        this.#result(session, this.#call(session, "Bash", { command: "ls" }), {});
        break;
      case "fork":
        this.#fork(session);
        break;
      case "fork of a sub-agent":
        this.#agentThatForks(session);
        break;
      case "left open": {
        const { call } = this.#call(session, "Bash", { command: "sleep 1" });
        session.open = { call, asker: session.id };
        return;
      }
      default:
        kind satisfies never;
    }
    this.#answer(session);
  }

  /** A copy of all that was said up to the end of a turn; a session that goes on in the background is copied as it is. */
  copy(source: Copied, way: CopyWay, turns: number): void {
    const end = source.ends[turns % Math.max(1, source.ends.length)];
    const rows = way === "background" || end === undefined ? source.rows : source.rows.slice(0, end);
    const id = sessionId(this.sessions.length);
    const copy = this.#open(
      rows.map((row) => copied(row, source.id, id, way)),
      source.ends.filter((one) => one <= rows.length),
    );
    if (way !== "background") return;
    const left = { type: "continued-in", sessionId: source.id, continuedInSessionId: copy.id };
    append(source.path, [left]);
    copy.open = source.open;
    source.open = undefined;
  }

  end(): void {
    for (const session of this.sessions) this.#complete(session);
  }

  #complete(session: Copied): void {
    const { open } = session;
    if (!open) return;
    session.open = undefined;
    this.#result(session, open, {});
    this.#answer(session, open.asker);
  }

  #open(rows: Row[], ends: number[]): Copied {
    const id = sessionId(this.sessions.length);
    const session: Copied = { id, path: join(this.project, `${id}.jsonl`), rows, ends, open: undefined };
    writeFileSync(session.path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    this.sessions.push(session);
    return session;
  }

  #write(session: Copied, row: Row): Row {
    const full = this.#row(session.id, session.rows.at(-1), row);
    session.rows.push(full);
    append(session.path, [full]);
    return full;
  }

  #row(id: string, parent: Row | undefined, row: Row): Row {
    const uuid = this.#next("uuid");
    const timestamp = new Date(this.#start + this.#count * 10).toISOString();
    const common = { uuid, parentUuid: parent?.["uuid"] ?? null, timestamp, sessionId: id, version: "2.1.326" };
    return { ...common, isSidechain: false, cwd: "/srv/shop", ...row };
  }

  #call(session: Copied, name: string, input: object): { readonly call: string; readonly row: Row } {
    const [message, call] = [this.#message(session.id), this.#next("toolu")];
    this.calls.push(call);
    return { call, row: this.#write(session, assistant(message, { type: "tool_use", id: call, name, input })) };
  }

  #result(session: Copied, { call }: { readonly call: string }, toolUseResult: object): void {
    this.#write(session, { ...user([result(call, "done")]), toolUseResult });
  }

  #answer(session: Copied, asker = session.id): void {
    this.#write(session, assistant(this.#message(asker), { type: "text", text: "answered" }));
    session.ends.push(session.rows.length);
  }

  #message(id: string): string {
    const message = this.#next("msg");
    this.messages.set(message, id);
    return message;
  }

  /** Its file refers to the conversation and repeats the call that launched it. */
  #fork(session: Copied): void {
    const input = { description: "look", prompt: "look again", subagent_type: "fork" };
    const { call, row } = this.#call(session, "Agent", input);
    const agentId = this.#next("a");
    const more = { isSidechain: true, agentId };
    const reference = { type: "fork-context-ref", agentId, parentSessionId: session.id, parentLastUuid: row["uuid"] };
    const launch = { ...row, uuid: this.#next("uuid"), parentUuid: null, ...more };
    const rows = [launch, ...this.#ownWork(session.id, launch, call, more)];
    this.#agentFile(session, agentId, { agentType: "fork", isFork: true, toolUseId: call }, [reference, ...rows]);
    this.#result(session, { call }, { status: "completed", agentId, content: [] });
  }

  /** The file of a sub-agent's fork begins with all rows of its parent, under the same uuids. */
  #agentThatForks(session: Copied): void {
    const input = { description: "outer", prompt: "outer task", subagent_type: "general-purpose" };
    const { call } = this.#call(session, "Agent", input);
    const [outer, inner, innerCall] = [this.#next("a"), this.#next("a"), this.#next("toolu")];
    const more = { isSidechain: true, agentId: outer };
    this.calls.push(innerCall);
    const prompt = { ...this.#row(session.id, undefined, user("outer task")), ...more };
    const use = { type: "tool_use", id: innerCall, name: "Agent", input: { subagent_type: "fork", prompt: "inner" } };
    const launch = { ...this.#row(session.id, prompt, assistant(this.#message(session.id), use)), ...more };
    const done = user([result(innerCall, "inner done")]);
    const back = { ...this.#row(session.id, launch, { ...done, toolUseResult: innerResult(inner) }), ...more };
    const last = assistant(this.#message(session.id), { type: "text", text: "outer done" });
    const end = { ...this.#row(session.id, back, last), ...more };
    this.#agentFile(session, outer, { agentType: "general-purpose", toolUseId: call }, [prompt, launch, back, end]);
    const copies = [prompt, launch].map((row) => ({ ...row, agentId: inner }));
    const own = this.#ownWork(session.id, launch, innerCall, { isSidechain: true, agentId: inner });
    const meta = { agentType: "fork", isFork: true, toolUseId: innerCall, parentAgentId: outer, spawnDepth: 2 };
    this.#agentFile(session, inner, meta, [...copies, ...own]);
    this.#result(session, { call }, { status: "completed", agentId: outer, content: [] });
  }

  #ownWork(id: string, launch: Row, call: string, more: object): Row[] {
    const begins = { type: "text", text: "<fork-boilerplate>x</fork-boilerplate>\n\nYour directive: look" };
    const told = this.#row(id, launch, user([result(call, "Fork started — that fork is you."), begins]));
    const work = this.#row(id, told, assistant(this.#message(id), { type: "text", text: "looked" }));
    return [told, work].map((row) => ({ ...row, ...more }));
  }

  #agentFile(session: Copied, agentId: string, meta: object, rows: readonly Row[]): void {
    const path = join(dirname(session.path), session.id, "subagents", `agent-${agentId}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path.replace(/jsonl$/, "meta.json"), JSON.stringify(meta));
    append(path, rows);
  }

  #next(name: string): string {
    this.#count += 1;
    return name === "uuid"
      ? `00000000-0000-4000-8000-${String(this.#count).padStart(12, "0")}`
      : `${name}${name === "a" ? "" : "_"}${String(this.#count).padStart(6, "0")}`;
  }
}

const user = (content: unknown): Row => ({ type: "user", message: { role: "user", content } });
const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
const innerResult = (agentId: string) => ({ status: "completed", agentId, content: [] });

function assistant(id: string, block: { readonly type: string } & Row): Row {
  const usage = { input_tokens: 3, output_tokens: 5 };
  const stop = block.type === "tool_use" ? "tool_use" : "end_turn";
  const message = { id, type: "message", role: "assistant", model: "claude-opus-4-5", content: [block] };
  return { type: "assistant", message: { ...message, stop_reason: stop, usage } };
}

function sessionId(number: number): string {
  return `11111111-1111-4111-8111-${String(number).padStart(12, "0")}`;
}

function append(path: string, rows: readonly object[]): void {
  appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

function copied(row: Row, source: string, id: string, way: CopyWay): Row {
  const { requestSessionId = source, forkedFrom, ...rest } = row;
  const answer = row["type"] === "assistant" ? { requestSessionId } : {};
  const origin = { sessionId: source, messageUuid: row["uuid"] };
  switch (way) {
    case "branch":
      return { ...rest, ...answer, sessionId: id, forkedFrom: origin };
    case "fork":
      return { ...rest, ...answer, sessionId: id, sessionKind: "bg", forkedFrom: forkedFrom ?? origin };
    case "background":
      return { ...rest, ...answer, sessionId: id, sessionKind: "bg", ...(forkedFrom ? { forkedFrom } : {}) };
    case "new uuids": {
      const renewed = (uuid: unknown) => (typeof uuid === "string" ? `${uuid}/${id.slice(-3)}` : uuid);
      const uuids = { uuid: renewed(row["uuid"]), parentUuid: renewed(row["parentUuid"]) };
      return { ...rest, ...uuids, sessionId: id, forkedFrom: forkedFrom ?? origin };
    }
  }
}
