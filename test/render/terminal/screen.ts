import { Terminal } from "@xterm/headless";

export interface Screen {
  /** What a person sees, line by line, without the spaces at the ends. */
  readonly lines: readonly string[];
  /** How often something else than text and colours reached the terminal. */
  readonly commands: readonly string[];
  /** The first cell of a text, to look at its colours. */
  cellOf(text: string): Cell;
}

export interface Cell {
  readonly colour: number; // of the palette; -1 is the reader's own
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

const TITLE_COMMANDS = [0, 1, 2];
const HYPERLINK = 8;
const CLIPBOARD = 52;
const MOVING_FINALS = [
  "A",
  "B",
  "C",
  "D",
  "E",
  "F",
  "G",
  "H",
  "J",
  "K",
  "S",
  "T",
  "d",
  "f",
  "h",
  "l",
  "n",
  "r",
  "s",
  "u",
];

/** Text in a real terminal. */
export async function showOnScreen(text: string, columns: number): Promise<Screen> {
  const terminal = new Terminal({
    cols: columns,
    rows: 24,
    scrollback: 100_000,
    convertEol: true,
    allowProposedApi: true,
  });
  const commands: string[] = [];
  const note = (name: string) => () => {
    commands.push(name);
    return false;
  };
  for (const code of [...TITLE_COMMANDS, HYPERLINK, CLIPBOARD])
    terminal.parser.registerOscHandler(code, note(`OSC ${code}`));
  for (const final of MOVING_FINALS) terminal.parser.registerCsiHandler({ final }, note(`CSI ${final}`));
  terminal.onTitleChange(note("title"));
  terminal.onBell(note("bell"));
  terminal.onData(note("answer"));
  const all = await rowsAfter(text, terminal);
  const last = all.findLastIndex((line) => line !== "");
  return { lines: all.slice(0, last + 1), commands, cellOf: (wanted) => cellOf(terminal, all, wanted) };
}

/** All that a terminal shows in the end, from its first line on, without the spaces at the ends. */
export async function rowsAfter(text: string, terminal: Terminal): Promise<string[]> {
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, row) =>
    (active.getLine(row)?.translateToString(true) ?? "").trimEnd(),
  );
}

function cellOf(terminal: Terminal, lines: readonly string[], wanted: string): Cell {
  const row = lines.findIndex((line) => line.includes(wanted));
  const cell = terminal.buffer.active.getLine(row)?.getCell(lines[row]?.indexOf(wanted) ?? -1);
  if (!cell) throw new Error(`"${wanted}" is not on the screen:\n${lines.join("\n")}`);
  return {
    colour: cell.isFgDefault() ? -1 : cell.getFgColor(),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
}
