import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { work } from "../../../src/trace/hook/work.js";
import { resolveTarget } from "../../../src/trace/outbox/target.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { plainAttributes } from "../all-spans.js";
import { type CopyWay, ForkWorld, type TurnKind } from "../fork-world.js";
import { type Receiver, startReceiver } from "../receiver.js";

type Step =
  | { readonly kind: "turn"; readonly session: number; readonly turn: TurnKind; readonly isTold: boolean }
  | { readonly kind: "copy"; readonly session: number; readonly way: CopyWay; readonly turns: number }
  /** What Claude Code tells the hook at any time. */
  | { readonly kind: "event"; readonly session: number; readonly event: "SessionStart" | "SubagentStop" | "PreCompact" }
  | { readonly kind: "send" };

const TURNS: readonly TurnKind[] = ["answer", "tool", "fork", "fork of a sub-agent", "left open"];
const WAYS: readonly CopyWay[] = ["branch", "fork", "background", "new uuids"];

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("turn" as const),
      session: fc.nat(6),
      turn: fc.constantFrom(...TURNS),
      isTold: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("copy" as const),
      session: fc.nat(6),
      way: fc.constantFrom(...WAYS),
      turns: fc.nat(3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("event" as const),
      session: fc.nat(6),
      event: fc.constantFrom("SessionStart" as const, "SubagentStop" as const, "PreCompact" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("send" as const) }) },
);

interface Machine {
  readonly dir: string;
  readonly config: string;
  readonly world: ForkWorld;
  readonly receiver: Receiver;
}

async function play(step: Step, machine: Machine): Promise<void> {
  const { world } = machine;
  switch (step.kind) {
    case "turn": {
      const session = world.session(step.session);
      world.turn(session, step.turn);
      return step.isTold ? tell(machine, "Stop", [session.path]) : undefined;
    }
    case "copy":
      return world.copy(world.session(step.session), step.way, step.turns);
    case "event":
      return tell(machine, step.event, [world.session(step.session).path]);
    case "send": {
      const env = { TURNLOG_DATA_DIR: machine.dir, CLAUDE_CONFIG_DIR: machine.config };
      expect(await runCli(["trace", "send", "--all"], env)).toMatchObject({ exitCode: 0 });
      return;
    }
    default:
      step satisfies never;
  }
}

async function tell({ dir, receiver }: Machine, event: string, transcripts: readonly string[]): Promise<void> {
  const more = { size: 0, wordsHash: null, cwd: null, traceParent: null };
  for (const transcript of transcripts) spoolEvent(dir, { event, transcript, at: Date.now(), ...more });
  const targets = [resolveTarget({ name: "t", kind: "otlp", endpoint: receiver.endpoint })];
  await work({ dir, targets, createRedactor: () => createRedactor({ level: "mask" }), patienceMs: 0 });
}

/** What arrived, by what Claude Code calls it, in order: repeats show. */
function arrived({ receiver }: Machine) {
  const spans = receiver.stored().map(({ attributes }) => plainAttributes(attributes));
  const of = (key: string) => spans.flatMap((span) => (typeof span[key] === "string" ? [span[key]] : [])).sort();
  const asked = spans.filter((span) => span["turnlog.turn_number"] !== undefined);
  const answers = spans.flatMap((span) => {
    const id = span["gen_ai.response.id"];
    return typeof id === "string" ? [`${id} of ${span["session.id"]}`] : [];
  });
  const prompts = asked.map((span) => /ask_\d+/.exec(String(span["langfuse.observation.input"]))?.[0] ?? "none");
  return { answers: answers.sort(), calls: of("gen_ai.tool.call.id"), prompts: prompts.sort() };
}

test("of any tree of branches, forks, background sessions and forked sub-agents, everything is sent once, as of the session that asked it", async () => {
  const property = fc.asyncProperty(
    fc.array(steps, { minLength: 6, maxLength: 12 }),
    fc.boolean(),
    async (all, isLast) => {
      const [config, receiver] = [temporaryFolder(), await startReceiver()];
      const targets = [{ name: "t", kind: "otlp", endpoint: receiver.endpoint }];
      const dir = temporaryFolder({ "config.json": JSON.stringify({ trace: { targets } }) });
      const world = new ForkWorld(join(config, "projects", "-srv-shop"));
      const machine = { dir, config, world, receiver };
      for (const step of all) await play(step, machine);
      world.end();
      const paths = world.sessions.map(({ path }) => path);
      await tell(machine, "SessionEnd", isLast ? paths : paths.toReversed());
      expect(arrived(machine)).toEqual({
        answers: [...world.messages].map(([message, session]) => `${message} of ${session}`).sort(),
        calls: world.calls.toSorted(),
        prompts: world.prompts.toSorted(),
      });
    },
  );
  await fc.assert(property, runs(4));
});
