import { type BlameLine, type BlameReport, parseBlameTarget, toBlameReport } from "../../app/links/blame.js";
import { loadOptions } from "../../app/load-options.js";
import { maskingRedactor, NO_REDACTION } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { warnAboutSkipped } from "../../app/skipped-files.js";
import { blameAmong } from "../../library/links/blame-file.js";
import { formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { createStyle, type Style } from "../../render/terminal/style.js";
import { cutToColumns, textWidth } from "../../text-width.js";
import type { Io } from "../io.js";
import { MAX_INDEX_AGE_MS, withIndex } from "../library-index.js";
import type { IndexOptions } from "../options/filter-options.js";
import { isColoured } from "../terminal/is-coloured.js";
import { writePages } from "../terminal/pager.js";
import { printedJson } from "../terminal/printed-json.js";

export interface BlameOptions extends RootOptions, IndexOptions {
  readonly prompts?: boolean;
  readonly reveal?: boolean;
  readonly pager?: boolean;
  readonly json?: boolean;
}

/** Prints who wrote each line of a file: turn of a session, commit, or unknown. */
export async function writeBlame(name: string, options: BlameOptions, io: Io): Promise<void> {
  const target = parseBlameTarget(name, io.cwd);
  const [roots, load] = [await sessionRoots(io, options), await loadOptions(io)];
  const { json: clean } = options.reveal ? NO_REDACTION : await maskingRedactor(io);
  const use = { ...options, maxAgeMs: MAX_INDEX_AGE_MS, answersWithout: true };
  const blame = await withIndex(io, roots, use, (index, _, behind) =>
    blameAmong(target.file, { roots, archive: load.archive, db: index?.db, behind }, load),
  );
  warnAboutSkipped(blame.problems, io);
  const report = toBlameReport(blame, target, clean);
  if (options.json) return io.stdout(printedJson(report, io));
  const style = createStyle(isColoured(io));
  const text = options.prompts ? paintGroups(report, style) : paintLines(report, style);
  if (text !== "") await writePages(text, options.pager !== false, io);
  io.stderr(`${describe(report)}\n`);
  for (const note of report.notes) io.stderr(`${note}\n`);
}

function describe({ counts, turns, commits }: BlameReport): string {
  const total = counts.turn + counts.commit + counts.unknown;
  const sessions = new Set(turns.map(({ session }) => session)).size;
  const parts = [
    `${counts.turn} by ${formatCount(turns.length, "turn")} of ${formatCount(sessions, "session")}`,
    `${counts.commit} by ${formatCount(commits.length, "commit")}`,
    `${counts.unknown} unknown`,
  ];
  return `${formatCount(total, "line")}: ${parts.join(", ")}`;
}

/** Who wrote a line, in the columns before it. */
interface Author {
  readonly id: string;
  readonly turn: string;
  readonly date: string;
  readonly name: string;
}

const NOBODY: Author = { id: "?", turn: "", date: "", name: "" };
const ID_COLUMNS = 8;
const NAME_COLUMNS = 16;

function authorOf({ origin, turn, commit, reformatted }: BlameLine, { turns, commits }: BlameReport): Author {
  if (origin === "unknown") return NOBODY;
  const mark = reformatted ? "~" : "";
  const by = turn === null ? undefined : turns[turn];
  if (by) {
    const name = by.agentId === null ? (by.model ?? "").replace(/^claude-/, "") : `agent ${by.agentId}`;
    return { id: by.session.slice(0, ID_COLUMNS), turn: `${by.turn}${mark}`, date: dayOf(by.at), name };
  }
  const found = commits.find(({ id }) => id === commit);
  return {
    id: (commit ?? "").slice(0, ID_COLUMNS),
    turn: mark,
    date: dayOf(found?.at ?? null),
    name: found?.author ?? "",
  };
}

function dayOf(time: string | null): string {
  return time?.slice(0, 10) ?? "";
}

function paintLines(report: BlameReport, style: Style): string {
  const authors = report.lines.map((line) => authorOf(line, report));
  const widest = (texts: readonly string[], most: number) =>
    Math.min(
      most,
      texts.reduce((width, text) => Math.max(width, textWidth(text)), 0),
    );
  const widths = {
    turn: widest(
      authors.map(({ turn }) => turn),
      8,
    ),
    date: widest(
      authors.map(({ date }) => date),
      10,
    ),
    name: widest(
      authors.map(({ name }) => oneLine(name)),
      NAME_COLUMNS,
    ),
    line: String(report.lines.at(-1)?.line ?? 0).length,
  };
  return report.lines
    .map(({ line, text }, at) => {
      const { id, turn, date, name } = authors[at] ?? NOBODY;
      const cells = [
        pad(id, ID_COLUMNS),
        turn.padStart(widths.turn),
        pad(date, widths.date),
        pad(oneLine(name), widths.name),
      ];
      const isKnown = id !== NOBODY.id;
      const head = cells.join(" ");
      const number = style.dim(String(line).padStart(widths.line));
      return `${isKnown ? style.cyan(head) : style.dim(head)} ${number}  ${oneLine(text)}\n`;
    })
    .join("");
}

function pad(text: string, columns: number): string {
  const cut = cutToColumns(text, columns);
  return cut + " ".repeat(Math.max(0, columns - textWidth(cut)));
}

function oneLine(text: string): string {
  return neutralize(text).replaceAll("\n", " ");
}

/** Lines of one author together, below what is known of it. */
function paintGroups(report: BlameReport, style: Style): string {
  const width = String(report.lines.at(-1)?.line ?? 0).length;
  let last: string | undefined;
  return report.lines
    .map((line) => {
      const title = titleOf(line, report);
      const isNew = title !== last;
      const heading = isNew ? `${last === undefined ? "" : "\n"}${style.bold(oneLine(title))}\n` : "";
      last = title;
      const mark = line.reformatted ? "~" : " ";
      return `${heading}${style.dim(`${String(line.line).padStart(width)}${mark}`)} ${oneLine(line.text)}\n`;
    })
    .join("");
}

function titleOf(line: BlameLine, { turns, commits }: BlameReport): string {
  const by = line.turn === null ? undefined : turns[line.turn];
  if (by) {
    const agent = by.agentId === null ? "" : ` (agent ${by.agentId})`;
    return `${by.session.slice(0, ID_COLUMNS)} turn ${by.turn}${agent}, ${dayOf(by.at)}: ${by.prompt}`;
  }
  const commit = commits.find(({ id }) => id === line.commit);
  if (commit)
    return `commit ${commit.id.slice(0, ID_COLUMNS)}, ${dayOf(commit.at)}, ${commit.author}: ${commit.subject}`;
  return line.commit === null ? "unknown" : `commit ${line.commit.slice(0, ID_COLUMNS)}`;
}
