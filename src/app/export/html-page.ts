import { UserError } from "../../errors.js";
import { formatBytes } from "../../render/format-values.js";
import { pageDocument } from "../../render/html/page-document.js";
import { type HtmlSource, type SpooledSession, spoolSession } from "./html-session.js";

/** A page beyond this is slow to open in any browser. */
export const LARGEST_PAGE = 20_000_000; // bytes

/** The whole session as one page, or a refusal before anything of it is written. */
export function htmlPage(source: HtmlSource, output: string | undefined): AsyncIterable<string | Uint8Array> {
  const refuse = (bytes: number) => {
    if (bytes > LARGEST_PAGE) throw tooLarge(output);
  };
  return spoolSession(source, refuse, wholePage);
}

/** What is spooled, between one beginning and one end. */
export function* wholePage({ shown, tools, spool, sections }: SpooledSession): Generator<string | Uint8Array> {
  const { header, totals } = shown;
  const entries = sections.flatMap(({ entry }) => entry ?? []);
  const [before, after] = pageDocument({ header, totals, entries, parts: [] }, tools);
  yield before;
  yield* spool.read(0, spool.size);
  yield after;
}

function tooLarge(output: string | undefined): UserError {
  const folder = `${(output ?? "session").replace(/\.html?$/i, "")}/`;
  return new UserError(
    "usage",
    `the page would be larger than ${formatBytes(LARGEST_PAGE)}`,
    `name a folder, which gets an index and the parts: -o ${folder}`,
  );
}
