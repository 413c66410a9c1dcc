import xterm from "@xterm/headless";

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
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? "",
  );
  terminal.dispose();
  return lines;
}
