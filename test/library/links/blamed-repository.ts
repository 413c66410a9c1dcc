import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileMoment } from "../../../src/session/blame/blame-lines.js";
import { call, prompt, type Row, result, sessionText, uuidOf } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import type { World } from "../../session/blame/file-world.js";

interface BlamedRepository {
  readonly file: string;
  /** Claude Code's folder. */
  readonly root: string;
  /** The id of each commit of the world. */
  readonly shas: ReadonlyMap<string, string>;
  /** The turn of the world for each turn of the session. */
  readonly turns: readonly (number | null)[];
}

/** A git repository and a session with the history of an invented world. */
export function writeRepository(world: World): BlamedRepository {
  const folder = realpathSync(temporaryFolder());
  const file = join(folder, "src", "cart.ts");
  mkdirSync(join(folder, "src"));
  const shas = importCommits(folder, world);
  writeReflog(folder, world, shas);
  writeFileSync(file, world.content);
  const root = temporaryFolder();
  mkdirSync(join(root, "projects", "-w"), { recursive: true });
  const rows = world.moments.flatMap((moment, at) => toRows(moment, at, file));
  writeFileSync(join(root, "projects", "-w", `${uuidOf(1)}.jsonl`), sessionText(...rows));
  const turns = world.moments.flatMap((moment) => (moment.kind === "changed" ? [moment.turn] : []));
  return { file, root, shas, turns };
}

function importCommits(folder: string, { commits, head }: World): Map<string, string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (args: readonly string[], input = "") => execFileSync("git", args, { cwd: folder, env, input });
  git(["init", "-q", "-b", "main"]);
  if (commits.length === 0) return new Map();
  const stream = commits.map(({ id, parents, time, content }, at) => {
    const mark = (name: string) => `:${commits.findIndex((commit) => commit.id === name) + 1}`;
    const who = `Ann <ann@example.org> ${Math.floor(time / 1000)} +0000`;
    const bytes = Buffer.from(content ?? "");
    return [
      `commit refs/heads/made\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\ndata ${id.length}\n${id}`,
      ...parents.map((parent, place) => `${place === 0 ? "from" : "merge"} ${mark(parent)}`),
      `M 100644 inline src/cart.ts\ndata ${bytes.length}\n${bytes}\n`,
    ].join("\n");
  });
  const last = `reset refs/heads/main\nfrom :${commits.findIndex(({ id }) => id === head) + 1}\n`;
  const marks = join(temporaryFolder(), "marks");
  git(["fast-import", "--quiet", "--force", `--export-marks=${marks}`], `${stream.join("\n")}\n${last}`);
  return new Map(
    readFileSync(marks, "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const [mark = "", sha = ""] = line.slice(1).split(" ");
        return [commits[Number(mark) - 1]?.id ?? "", sha];
      }),
  );
}

/** As git writes it: commits, and that HEAD moved otherwise. */
function writeReflog(folder: string, { commits }: World, shas: ReadonlyMap<string, string>): void {
  const entries = commits.flatMap(({ id, time, local }) => {
    if (!local) return [];
    const moved = Math.floor(local.since / 1000) - 1;
    return [
      ...(local.since > 0 ? [{ seconds: moved, line: `checkout: moving from a to b`, id: `${"0".repeat(39)}1` }] : []),
      { seconds: time / 1000, line: `commit: ${id}`, id: shas.get(id) ?? "" },
    ];
  });
  const lines = entries
    .sort((a, b) => a.seconds - b.seconds)
    .map((entry) => `${"0".repeat(40)} ${entry.id} Ann <ann@example.org> ${entry.seconds} +0000\t${entry.line}\n`);
  mkdirSync(join(folder, ".git", "logs"), { recursive: true });
  writeFileSync(join(folder, ".git", "logs", "HEAD"), lines.join(""));
}

/** What Claude Code records of it; each change has a turn of its own. */
function toRows(moment: FileMoment, at: number, file: string): Row[] {
  const id = `call${at}`;
  const timestamp = new Date(moment.time).toISOString();
  if (moment.kind === "seen") {
    const content = moment.content ?? "";
    const count = content.split("\n").length;
    const read = { filePath: file, content, numLines: count, startLine: 1, totalLines: count };
    return [
      call(id, "Read", { file_path: file }, { timestamp }),
      result(id, "", { timestamp, toolUseResult: { type: "text", file: read } }),
    ];
  }
  const { kind, before, after, replacements, hunks } = moment.call;
  const [replacement] = replacements;
  const [name, input, noted] =
    kind === "edit"
      ? [
          "Edit",
          { old_string: replacement?.from, new_string: replacement?.to },
          { oldString: replacement?.from, newString: replacement?.to, replaceAll: false },
        ]
      : ["Write", { content: after }, { type: "update", content: after }];
  const toolUseResult = {
    filePath: file,
    ...noted,
    originalFile: before ?? null,
    structuredPatch: hunks,
    userModified: moment.turn === null,
  };
  return [
    prompt(`change ${at}`, { timestamp }),
    call(id, name, { file_path: file, ...input }, { timestamp }),
    result(id, "done", { timestamp, toolUseResult }),
  ];
}
