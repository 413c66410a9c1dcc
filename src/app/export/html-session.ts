import type { LoadedSession } from "../../library/load-session.js";
import type { Clean } from "../../redact/clean.js";
import type { ContentsEntry } from "../../render/html/contents-entry.js";
import { loadExportTools } from "../../render/html/load-export-tools.js";
import type { PageTools } from "../../render/html/page-tools.js";
import { streamSession } from "../../render/html/stream-session.js";
import { showSession } from "../../render/show-session.js";
import type { ShownSession } from "../../render/shown-session.js";
import type { PriceTable } from "../../session/cost.js";
import { HtmlSpool } from "./html-spool.js";

export interface HtmlSource {
  readonly load: () => LoadedSession;
  readonly clean: Clean;
  readonly prices: PriceTable | undefined;
}

/** A session as HTML, waiting to be put into one page or several. */
export interface SpooledSession {
  readonly shown: ShownSession;
  readonly tools: PageTools;
  readonly spool: HtmlSpool;
  readonly sections: readonly SpooledSection[];
}

interface SpooledSection {
  readonly entry: ContentsEntry | null;
  readonly start: number; // in the spool, bytes
  readonly end: number;
}

/** `use` is given the session, and the spool is gone after its last piece. `refuse` may stop what becomes too large. */
export async function* spoolSession<Piece>(
  { load, clean, prices }: HtmlSource,
  refuse: (bytes: number) => void,
  use: (session: SpooledSession) => Iterable<Piece>,
): AsyncGenerator<Piece> {
  const session = load();
  const deadLeaves = session.outline.deadBranches.flatMap(({ leaf }) => leaf ?? []);
  const shown = showSession(session, { clean, prices, deadLeaves });
  const tools = await loadExportTools(shown.header.project);
  const spool = new HtmlSpool();
  try {
    yield* use({ shown, tools, spool, sections: writeSections(shown, tools, spool, refuse) });
  } finally {
    spool.close();
  }
}

function writeSections(
  shown: ShownSession,
  tools: PageTools,
  spool: HtmlSpool,
  refuse: (bytes: number) => void,
): SpooledSection[] {
  const sections: SpooledSection[] = [];
  for (const { entry, pieces } of streamSession(shown, tools)) {
    const start = spool.size;
    for (const piece of pieces) {
      spool.write(piece);
      refuse(spool.size);
    }
    sections.push({ entry, start, end: spool.size });
  }
  return sections;
}
