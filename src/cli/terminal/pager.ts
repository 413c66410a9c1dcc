import type { Io, PagerCommand } from "../io.js";

/** Prints through a pager on a terminal. False if the pager was quit before the end. */
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

/** `TURNLOG_PAGER`, `PAGER`, else `less`; null without a terminal or if no pager is wanted. */
export function choosePager({ isTerminal, env }: Pick<Io, "isTerminal" | "env">): PagerCommand | null {
  if (!isTerminal || env["TERM"] === "dumb") return null;
  const [program, ...args] = splitWords(env["TURNLOG_PAGER"] ?? env["PAGER"] ?? "less");
  if (program === undefined || program === "cat") return null;
  return { program, args, env: { LESS: `${LESS_OPTIONS} ${env["LESS"] ?? ""}`.trim(), LV: "-c" } };
}

/** Keep colours, do not page what fits on one screen, leave the text on the screen. The user's options follow and override. */
const LESS_OPTIONS = "-R -F -X";

/** Splits words like a shell, with quotes; no shell is run. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
