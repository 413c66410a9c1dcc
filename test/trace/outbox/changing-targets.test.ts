import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { work } from "../../../src/trace/hook/work.js";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { drainOutbox } from "../../../src/trace/outbox/send-queue.js";
import { resolveTarget, type Target } from "../../../src/trace/outbox/target.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { allSpans } from "../all-spans.js";
import { type LiveSession, liveSession } from "../live-session.js";
import { type Receiver, startReceiver, type Treatment } from "../receiver.js";

const BIN = resolve(import.meta.dirname, "..", "..", "..", "dist", "bin.js");
const HOUR_MS = 3_600_000;
const KEYS = ["one", "two", "three"];

/** One thing that happens to sessions, to the targets, or to the machine. */
type Step =
  | { readonly kind: "turn"; readonly session: number; readonly tools: number }
  | { readonly kind: "fork"; readonly session: number; readonly way: "sameUuids" | "newUuids" }
  | { readonly kind: "worker"; readonly killAfterMs: number | null }
  | { readonly kind: "key"; readonly key: number }
  | { readonly kind: "address"; readonly address: number }
  /** The key is refused for this long. */
  | { readonly kind: "refuse"; readonly hours: number }
  /** By whole hours, so that pauses end; back, too. */
  | { readonly kind: "clock"; readonly hours: number };

const step = <Kind extends Step["kind"]>(kind: Kind, weight: number, more: object) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), ...more }) as unknown as fc.Arbitrary<Step>,
});

const quietSteps = [
  step("turn", 5, { session: fc.nat(5), tools: fc.nat(2) }),
  step("fork", 1, { session: fc.nat(5), way: fc.constantFrom("sameUuids", "newUuids") }),
  step("worker", 6, { killAfterMs: fc.constant(null) }),
  step("key", 2, { key: fc.nat(2) }),
  step("address", 3, { address: fc.nat(2) }),
  step("refuse", 1, { hours: fc.integer({ min: 1, max: 3 }) }),
  step("clock", 3, { hours: fc.integer({ min: -30, max: 30 }) }),
];
const killingSteps = [...quietSteps, step("worker", 1, { killAfterMs: fc.nat(900) })];

/** One target that changes its address and key, and one that only fails now and then. */
class World {
  readonly #dir = temporaryFolder();
  readonly #project = join(temporaryFolder(), "projects", "p");
  readonly sessions = [0, 1].map((number) => liveSession(this.#project, sessionId(number)));
  #now = Date.now();
  #refusedUntil = 0;
  #key = 0;
  #address = 0;

  constructor(
    private readonly servers: readonly Receiver[],
    readonly other: Receiver,
    private readonly timeoutMs: number,
  ) {}

  /** Each takes what is wrong with a request from its own list, in turn. */
  failWith(faults: readonly Treatment[], ofOther: readonly Treatment[]): void {
    const [next, nextOfOther] = [inTurn(faults), inTurn(ofOther)];
    for (const server of this.servers) server.treat(() => (this.#now < this.#refusedUntil ? "401" : next()));
    this.other.treat(nextOfOther);
  }

  async play(step: Step): Promise<void> {
    switch (step.kind) {
      case "turn":
        return this.#turn(this.#session(step.session), step.tools);
      case "fork":
        this.sessions.push(this.#session(step.session).fork(sessionId(this.sessions.length), step.way));
        return;
      case "worker":
        return step.killAfterMs === null ? this.#work() : this.#workAndKill(step.killAfterMs);
      case "refuse":
        this.#refusedUntil = this.#now + step.hours * HOUR_MS;
        return;
      case "clock":
        this.#now += step.hours * HOUR_MS;
        return;
      case "key":
        this.#key = step.key;
        return this.install();
      case "address":
        this.#address = step.address;
        return this.install();
      default:
        step satisfies never;
    }
  }

  /** Nothing fails any more, one session goes on in a copy, and all end. */
  async comeToRest(): Promise<void> {
    await this.play({ kind: "fork", session: 0, way: "sameUuids" });
    this.#refusedUntil = 0;
    this.failWith(["accept"], ["accept"]);
    for (const session of this.sessions) this.#spool("SessionEnd", session);
    await this.#work(PATIENT_MS);
    const targets = this.#targets(PATIENT_MS);
    await withOutbox(this.#dir, (outbox) => drainOutbox(outbox, targets, { isUrgent: true, mask: (text) => text }));
  }

  storedByChanging = () => this.servers.flatMap((server) => server.stored());
  expected = () => idsOf(this.sessions.flatMap(({ path }) => allSpans(path)));

  #session(number: number): LiveSession {
    return this.sessions[number % this.sessions.length] as LiveSession;
  }

  #turn(session: LiveSession, tools: number): void {
    session.append(session.nextTurn(tools).lines);
    this.#spool("Stop", session);
  }

  #spool(event: string, { path }: LiveSession): void {
    const more = { size: 0, wordsHash: null, cwd: null, traceParent: null };
    spoolEvent(this.#dir, { event, transcript: path, at: this.#now, ...more });
  }

  async #work(timeoutMs = this.timeoutMs): Promise<void> {
    const createIt = () => createRedactor({ level: "mask" });
    const now = () => this.#now;
    await work({ dir: this.#dir, targets: this.#targets(timeoutMs), createRedactor: createIt, patienceMs: 0, now });
  }

  /** The built turnlog as a process of its own, killed after a while. */
  async #workAndKill(killAfterMs: number): Promise<void> {
    const env = { ...process.env, TURNLOG_DATA_DIR: this.#dir };
    const child = spawn(process.execPath, [BIN, "trace", "work", "--patience", "0"], { env, stdio: "ignore" });
    const ended = once(child, "exit");
    await Promise.race([ended, sleep(killAfterMs)]);
    child.kill("SIGKILL");
    await ended;
  }

  #installed(timeoutMs: number) {
    const { endpoint } = this.servers[this.#address] as Receiver;
    return [
      { name: "changing", kind: "otlp", endpoint, timeoutMs },
      { name: "other", kind: "otlp", endpoint: this.other.endpoint, timeoutMs },
    ] as const;
  }

  #keys() {
    return { changing: { headers: { authorization: KEYS[this.#key] ?? "" } } };
  }

  #targets(timeoutMs: number): Target[] {
    return this.#installed(timeoutMs).map((target) => resolveTarget(target, this.#keys()));
  }

  /** As `trace install` does, which opens the ledger. */
  async install(): Promise<void> {
    const config = { trace: { targets: this.#installed(this.timeoutMs) } };
    writeFileSync(join(this.#dir, "config.json"), JSON.stringify(config));
    writeFileSync(join(this.#dir, "trace-keys.json"), JSON.stringify(this.#keys()), { mode: 0o600 });
    await withOutbox(this.#dir, (outbox) => this.#targets(0).map((target) => outbox.ledgerOf(target)));
  }
}

function inTurn(treatments: readonly Treatment[]): () => Treatment {
  let at = 0;
  return () => treatments[at++ % treatments.length] ?? "accept";
}

const sessionId = (number: number) => `11111111-1111-4111-8111-${String(number).padStart(12, "0")}`;
const idsOf = (spans: readonly { readonly spanId: string }[]) => [...new Set(spans.map((it) => it.spanId))].sort();

/** A machine may be busy: where nothing hangs, an answer is waited for as long as it takes. */
const PATIENT_MS = 50_000;

async function playAll(
  steps: readonly Step[],
  faults: readonly Treatment[],
  ofOther: readonly Treatment[],
  timeoutMs: number,
): Promise<World> {
  const servers = [await startReceiver(), await startReceiver(), await startReceiver()];
  const world = new World(servers, await startReceiver(), timeoutMs);
  await world.install();
  world.failWith(faults, ofOther);
  for (const step of steps) await world.play(step);
  await world.comeToRest();
  return world;
}

/** What they do to a request is known, and nothing is given up for it. */
const CERTAIN: readonly Treatment[] = [
  "refuse",
  "401",
  "403",
  "429",
  "500",
  "web page",
  "accept",
  "accept",
  "accept",
  "accept",
];
const UNCERTAIN: readonly Treatment[] = [...CERTAIN, "hang", "reset"];

const some = (treatments: readonly Treatment[]) =>
  fc.array(fc.constantFrom(...treatments), { minLength: 1, maxLength: 8 });
const steps = (kinds: typeof quietSteps) => fc.array(fc.oneof(...kinds), { minLength: 14, maxLength: 22 });

test("new keys, moved servers, long refusals, web pages and clock jumps lose nothing, and double nothing", async () => {
  const property = fc.asyncProperty(steps(quietSteps), some(CERTAIN), some(CERTAIN), async (all, faults, ofOther) => {
    const world = await playAll(all, faults, ofOther, PATIENT_MS);
    const expected = world.expected();
    expect(
      world
        .storedByChanging()
        .map(({ spanId }) => spanId)
        .sort(),
    ).toEqual(expected);
    expect(
      world.other
        .stored()
        .map(({ spanId }) => spanId)
        .sort(),
    ).toEqual(expected);
  });
  await fc.assert(property, runs(10));
});

test("and with workers that are killed and answers that never come, nothing is lost", async () => {
  const property = fc.asyncProperty(
    steps(killingSteps),
    some(UNCERTAIN),
    some(UNCERTAIN),
    async (all, faults, ofOther) => {
      const world = await playAll(all, faults, ofOther, 200);
      const expected = world.expected();
      expect(idsOf(world.storedByChanging())).toEqual(expected);
      expect(idsOf(world.other.stored())).toEqual(expected);
    },
  );
  await fc.assert(property, runs(5));
});
