import type { Io, PagerCommand } from "../io.js";

/** What is to be read, through a pager where somebody sits at a terminal. False when the reader did not want all of it. */
export async function writePages(pieces: Iterable<string>, isPaged: boolean, io: Io): Promise<boolean> {
  const command = isPaged ? choosePager(io) : null;
  const pager = command && (await io.startPager(command));
  if (!pager) {
    for (const piece of pieces) await io.stdout(piece);
    return true;
  }
  try {
    for (const piece of pieces) if (!(await pager.write(piece))) return false;
    return true;
  } finally {
    await pager.close();
  }
}

/** `TURNLOG_PAGER`, `PAGER`, else `less`; null where nobody looks at a terminal or none is wanted. */
export function choosePager({ isTerminal, env }: Pick<Io, "isTerminal" | "env">): PagerCommand | null {
  if (!isTerminal || env["TERM"] === "dumb") return null;
  const [program, ...args] = splitWords(env["TURNLOG_PAGER"] ?? env["PAGER"] ?? "less");
  if (program === undefined || program === "cat") return null;
  return { program, args, env: { LESS: `${LESS_OPTIONS} ${env["LESS"] ?? ""}`.trim(), LV: "-c" } };
}

/** Colours as colours, no paging of what fits one screen, and what was read stays on it; own options come later. */
const LESS_OPTIONS = "-R -F -X";

/** Words as in a shell, with quotes; no shell runs. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
