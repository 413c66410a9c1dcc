import { Terminal } from "@xterm/headless";
import { rowsAfter } from "../terminal/screen.js";

export interface Cast {
  readonly header: { readonly version: number; readonly width: number; readonly height: number };
  readonly events: readonly (readonly [time: number, kind: string, text: string])[];
}

export function parseCast(text: string): Cast {
  const [header, ...events] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { header, events };
}

/** All that a real terminal shows in the end, from its first line on. */
export async function replay(text: string, columns: number, rows: number): Promise<string[]> {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  const lines = await rowsAfter(text, terminal);
  terminal.dispose();
  return lines;
}
