import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join, relative } from "node:path";
import { runFaulty } from "../../cli/faulty-process.js";
import {
  copyTo,
  deliverAll,
  environmentOf,
  filesBelow,
  type Machine,
  newMachine,
  partOf,
  pathsBelow,
  receivedFrom,
  sync,
  write,
} from "./shared-machines.js";

const IDS = Array.from({ length: 4 }, (_, at) => `aaaaaaaa-0000-4000-8000-00000000000${at}`);

/** Everything follows from the seed. Returns what differs in the end; nothing should. */
export async function runRound(seed: number): Promise<string[]> {
  const next = randomFrom(seed);
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const machines = ["one", "two", ...(seed % 2 === 0 ? ["three"] : [])].map((name) => newMachine(name));
  for (const machine of machines) changeFiles(machine, { below, pick });
  for (let step = 0; step < 10; step++) {
    const machine = pick(machines);
    for (let change = below(4); change >= 0; change--) changeFiles(machine, { below, pick });
    if (below(3) === 0) await runFaulty(["sync", machine.share], environmentOf(machine), { killAt: 1 + below(120) });
    else if (below(4) > 0) await sync(machine);
    for (const from of machines) for (const to of machines) if (to !== from) deliverSome(from, to, { below, pick });
  }
  const failures: string[] = [];
  for (const _ of [1, 2]) {
    for (const machine of machines) {
      const { exitCode, stdout, stderr } = await sync(machine);
      if (exitCode !== 0 || /refused|skipped/.test(stdout)) failures.push(`${machine.name}: ${stdout}${stderr}`);
    }
    deliverAll(machines);
  }
  for (const machine of machines) await sync(machine);
  return [
    ...failures,
    ...machines.flatMap((to) => machines.flatMap((from) => (to === from ? [] : differences(to, from)))),
  ];
}

function differences(to: Machine, from: Machine): string[] {
  const received = receivedFrom(to, from);
  const files = filesBelow(from.root);
  return [...files]
    .filter(([path]) => isOfSession(path, new Set(files.keys())))
    .filter(([path, bytes]) => received.get(path) !== bytes)
    .map(
      ([path, bytes]) =>
        `${to.name} has ${received.get(path)?.length} of ${bytes.length} bytes of ${from.name}/${path}`,
    );
}

/** A folder whose transcript is gone or lies elsewhere is nobody's. */
function isOfSession(path: string, paths: ReadonlySet<string>): boolean {
  const [, project] = /^(projects\/[^/]+\/aaaaaaaa[-0-9]+)(?:\/|\.jsonl$)/.exec(path) ?? [];
  const [, id] = /^file-history\/([^/]+)/.exec(path) ?? [];
  return project === undefined
    ? [...paths].some((other) => other.endsWith(`${id}.jsonl`))
    : paths.has(`${project}.jsonl`);
}

interface Random {
  below(end: number): number;
  pick<T>(items: readonly T[]): T;
}

/** What Claude Code and a person do to files. */
function changeFiles({ root }: Machine, { below, pick }: Random): void {
  const id = pick(IDS);
  const slug = ["-p", "-q"].find((name) => existsSync(join(root, "projects", name, `${id}.jsonl`))) ?? "-p";
  const folder = join(root, "projects", slug);
  const transcript = join(folder, `${id}.jsonl`);
  const text = (lines: number) =>
    Array.from({ length: lines }, () => lineOf(id, "x".repeat(below(200)), below(1e9))).join("");
  if (!existsSync(transcript)) {
    write(transcript, text(1 + below(5)));
    return;
  }
  const size = readFileSync(transcript).length;
  const changes: (() => void)[] = [
    () => appendFileSync(transcript, text(1 + below(4))),
    () => appendFileSync(transcript, text(1 + below(4))),
    () => appendFileSync(transcript, text(1).slice(0, 1 + below(40))),
    () => write(transcript, text(below(4))),
    () => {
      truncateSync(transcript, below(size + 1));
      appendFileSync(transcript, text(1));
    },
    () => {
      write(`${transcript}.compact.tmp.0a1b2c3d`, readFileSync(transcript, "utf8").slice(below(size + 1)));
      renameSync(`${transcript}.compact.tmp.0a1b2c3d`, transcript);
    },
    () => write(join(folder, id, "subagents", `agent-${below(3)}.jsonl`), text(1 + below(3))),
    () => write(join(folder, id, "tool-results", `${below(3)}.txt`), text(below(3))),
    () => write(join(root, "file-history", id, `${below(3)}@v1`), text(1)),
    () => rmSync(transcript),
    () => rmSync(join(folder, id), { recursive: true, force: true }),
    () => {
      mkdirSync(join(root, "projects", "-q"), { recursive: true });
      if (slug === "-q") return;
      renameSync(transcript, join(root, "projects", "-q", `${id}.jsonl`));
      if (existsSync(join(folder, id))) {
        rmSync(join(root, "projects", "-q", id), { recursive: true, force: true });
        renameSync(join(folder, id), join(root, "projects", "-q", id));
      }
    },
  ];
  pick(changes)();
}

function lineOf(id: string, text: string, number: number): string {
  return `${JSON.stringify({ type: "user", uuid: `u${number}`, sessionId: id, cwd: "/home/dev/p", message: { role: "user", content: text } })}\n`;
}

/** Files arrive in any order, in part, under other names, or later. Removals may come first. */
function deliverSome(from: Machine, to: Machine, { below }: Random): void {
  const part = partOf(from);
  if (part === undefined) return;
  const target = join(to.share, relative(from.share, part));
  for (const path of pathsBelow(target))
    if (below(3) === 0 && !existsSync(join(part, path))) rmSync(join(target, path));
  for (const path of pathsBelow(part)) {
    const bytes = readFileSync(join(part, path));
    const what = below(6);
    if (what === 0) continue;
    if (what === 1) write(join(target, path), bytes.subarray(0, below(bytes.length + 1)));
    else if (what === 2) copyTo(join(target, path.replace(/(\.\w+)$/, " (conflicted copy)$1")), join(part, path));
    else copyTo(join(target, path), join(part, path));
  }
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
