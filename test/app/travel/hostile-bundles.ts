import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { TAR_END, tarHeader, tarPadding } from "../../../src/edit/travel/bundle/tar.js";

export const ID = "11111111-1111-4111-8111-111111111111";
const LINE = `${JSON.stringify({ type: "user", uuid: "22222222-2222-4222-8222-222222222222", parentUuid: null, sessionId: ID, cwd: "{project}", timestamp: "2026-05-01T09:00:00.000Z", message: { role: "user", content: "hello" } })}\n`;

interface Entry {
  readonly path: string;
  readonly content: Buffer;
}

/** What a bundle is made of, before it is packed. */
export interface Draft {
  manifest: Record<string, unknown> & { sessions: DraftSession[] };
  entries: Entry[];
}

interface DraftSession {
  [key: string]: unknown;
  id: string;
  files: DraftFile[];
}

interface DraftFile {
  path: string;
  place: string;
  name: string;
  size: number;
  sha256: string;
}

export function draftFile(name: string, place: string, text: string): [DraftFile, Entry] {
  const content = Buffer.from(text);
  const path = `sessions/${ID}/${place}/${name.replaceAll(/[^\w.@/-]/g, "_")}`;
  const sha256 = createHash("sha256").update(content).digest("hex");
  return [
    { path, place, name, size: content.length, sha256 },
    { path, content },
  ];
}

/** A bundle that is imported. */
export function honest(...more: readonly [DraftFile, Entry][]): Draft {
  const all = [draftFile(`${ID}.jsonl`, "transcript", LINE), ...more];
  const session = {
    id: ID,
    title: "a title",
    project: { remote: null, folder: "shop", isWindows: false },
    startedAt: null,
    endedAt: null,
    turns: 1,
    versions: [],
    marks: { title: null, tags: [], favourite: false, note: null },
    files: all.map(([file]) => file),
  };
  const manifest = {
    format: "turnlog bundle",
    version: 1,
    turnlog: "0.1.0",
    createdAt: "2026-05-01T09:00:00.000Z",
    redacted: null,
    sessions: [session],
  };
  return { manifest, entries: all.map(([, entry]) => entry) };
}

/** Packs whatever the draft says, also what turnlog never would. `header` changes the header of one entry. */
export function packed(
  { manifest, entries }: Draft,
  {
    header = (bytes: Buffer) => bytes,
    end = TAR_END,
  }: { header?: (bytes: Buffer, path: string) => Buffer; end?: Buffer } = {},
): Buffer {
  return gzipSync(
    tarOf([{ path: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) }, ...entries], header, end),
  );
}

export function tarOf(
  entries: readonly Entry[],
  header: (bytes: Buffer, path: string) => Buffer = (bytes) => bytes,
  end: Buffer = TAR_END,
): Buffer {
  const parts = entries.flatMap(({ path, content }) => [
    header(tarHeader({ path, size: content.length }, 0), path),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...parts, end]);
}

/** With the sum of a header made right again, so that not the sum is what is refused. */
export function summed(header: Buffer): Buffer {
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
