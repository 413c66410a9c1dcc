import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Clean } from "../../redact/create-redactor.js";
import type { PageTools } from "../../render/html/components/page-tools.js";
import type { ContentsEntry } from "../../render/html/export/contents.js";
import { loadExportTools } from "../../render/html/export/export-tools.js";
import { streamSession } from "../../render/html/export/stream-session.js";
import { type ShownSession, showSession } from "../../render/show-session.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";

export interface HtmlSource {
  readonly load: () => LoadedSession;
  readonly clean: Clean;
  readonly prices: PriceTable | undefined;
}

/** A session as HTML, to be written as one page or several. */
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

/** Passes the session to `use`; the spool is deleted after the last piece. `refuse` can throw if it becomes too large. */
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

const CHUNK_BYTES = 1 << 18;

/** Text whose place in the output is not known yet; on disk, because it may not fit into memory. */
class HtmlSpool {
  readonly #folder = makeTemporaryFolder("html");
  readonly #file = openSync(join(this.#folder, "spool"), "wx+", 0o600);
  /** Reused for all writes: a buffer per write would create too much garbage. */
  readonly #encoded = new Uint8Array(CHUNK_BYTES);
  readonly #encoder = new TextEncoder();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  write(text: string): void {
    for (let rest = text; rest !== ""; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#encoded);
      for (let done = 0; done < written; ) done += writeSync(this.#file, this.#encoded, done, written - done);
      this.#size += written;
      rest = rest.slice(read);
    }
  }

  *read(start: number, end: number): Generator<Uint8Array> {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const length = readSync(this.#file, chunk, 0, chunk.length, at);
      if (length === 0) throw new Error("the spool is shorter than what was written");
      yield chunk.subarray(0, length);
      at += length;
    }
  }

  close(): void {
    closeSync(this.#file);
    removeTemporary(this.#folder);
  }
}
