import { type LiveEvent, liveEvents, type SpendLimits } from "../../app/live/live-events.js";
import { type NotifyOptions, openNotifier } from "../../app/live/notify.js";
import { findLive, stopLive } from "../../app/live/stop-live.js";
import { type LiveRow, type LiveView, openLiveView } from "../../app/live/view-live.js";
import { loadOptions } from "../../app/load-options.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { dataFolderOf } from "../../app/settings.js";
import { UserError } from "../../errors.js";
import type { Clean } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";
import { paintLiveList } from "../../render/terminal/lists/live-list.js";
import { createStyle } from "../../render/terminal/style.js";
import type { Io } from "../io.js";
import { isColoured } from "../terminal/is-coloured.js";
import { printedJson, printedLine } from "../terminal/printed-json.js";
import { openPrompter } from "../terminal/prompter.js";

export interface LiveCommandOptions extends RootOptions {
  readonly clean: Clean;
  readonly recentMs: number;
  readonly watch: boolean;
  readonly intervalMs: number;
  readonly rings: boolean;
  readonly notify: NotifyOptions;
  readonly limits: SpendLimits;
  readonly stop?: string;
  readonly force: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

export async function printLive(options: LiveCommandOptions, io: Io): Promise<void> {
  const { clean, recentMs } = options;
  const [roots, load] = [await sessionRoots(io, options), await loadOptions(io)];
  const view = openLiveView({ roots, dataDir: dataFolderOf(io), load, clean, recentMs });
  try {
    if (options.stop !== undefined) await stop(options.stop, view, options, io);
    else if (options.watch) await watch(view, options, io);
    else await printOnce(view.look(), options, io);
  } finally {
    view.close();
  }
}

async function printOnce(rows: readonly LiveRow[], { json }: LiveCommandOptions, io: Io): Promise<void> {
  if (json) return await io.stdout(printedJson(rows, io));
  if (rows.length === 0) io.stderr("no session runs now\n");
  else
    await io.stdout(
      paint(rows, io)
        .map((line) => `${line}\n`)
        .join(""),
    );
}

function paint(rows: readonly LiveRow[], io: Io): string[] {
  return paintLiveList(rows, { columns: io.columns, style: createStyle(isColoured(io)), now: Date.now() });
}

async function stop(name: string, view: LiveView, options: LiveCommandOptions, io: Io): Promise<void> {
  const row = findLive(name, view.look());
  io.stderr(
    paint([row], io)
      .map((line) => `${line}\n`)
      .join(""),
  );
  if (!options.yes && !(await isConfirmed(io)))
    throw new UserError("usage", "nothing was stopped", "answer y, or use --yes");
  const how = await stopLive(row, view, options);
  if (options.json) return await io.stdout(printedJson({ id: row.id, pid: row.process?.pid ?? null, how }, io));
  io.stderr(`${how === "stopped" ? "stopped" : "killed"} process ${row.process?.pid}\n`);
}

async function isConfirmed(io: Io): Promise<boolean> {
  const prompter = openPrompter(io);
  try {
    return await prompter.confirm("End this process?");
  } finally {
    prompter.close();
  }
}

async function watch(view: LiveView, options: LiveCommandOptions, io: Io): Promise<void> {
  const notify = openNotifier(options.notify, io);
  const screen = options.json ? jsonScreen(io) : io.isTerminal ? liveScreen(io) : lineScreen(io);
  let before: readonly LiveRow[] = [];
  const pause = openPause(io);
  try {
    while (!pause.isStopped) {
      const rows = view.look();
      const events = liveEvents(before, rows, options.limits);
      await screen.show(rows, events);
      for (const event of events) notify(event);
      if (options.rings && events.length > 0) io.stderr("\u0007");
      before = rows;
      await pause.wait(options.intervalMs);
    }
  } finally {
    pause.close();
    await screen.close();
  }
}

interface WatchScreen {
  show(rows: readonly LiveRow[], events: readonly LiveEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Draws over itself on the terminal's other screen; what was there before comes back, with the last state below. */
function liveScreen(io: Io): WatchScreen {
  let last: readonly LiveRow[] = [];
  let drawn = "";
  const draw = (rows: readonly LiveRow[]) => {
    const lines = rows.length === 0 ? ["no session runs now"] : paint(rows, io);
    const shown = lines.slice(0, Math.max(1, (io.rows ?? USUAL_ROWS) - 1));
    return `\u001b[H${shown.map((line) => `${line}\u001b[K\r\n`).join("")}\u001b[J`;
  };
  return {
    show: async (rows) => {
      const frame = draw(rows);
      const start = drawn === "" ? "\u001b[?1049h\u001b[?25l" : "";
      last = rows;
      if (frame === drawn) return;
      drawn = frame;
      await io.stdout(start + frame);
    },
    close: async () => {
      if (drawn !== "")
        await io.stdout(
          `\u001b[?25h\u001b[?1049l${paint(last, io)
            .map((line) => `${line}\n`)
            .join("")}`,
        );
    },
  };
}

const USUAL_ROWS = 24;

/** One line for each session that is there at first, then for each change. */
function lineScreen(io: Io): WatchScreen {
  let isFirst = true;
  return {
    show: async (rows, events) => {
      if (isFirst)
        await io.stdout(
          paint(rows, io)
            .map((line) => `${line}\n`)
            .join(""),
        );
      isFirst = false;
      for (const { row, text } of events) {
        const line = `${new Date().toISOString()}  ${row.id.slice(0, 8)}  ${row.title ?? ""}: ${text}`;
        await io.stdout(`${neutralize(line.replaceAll(/\s+/g, " "))}\n`);
      }
    },
    close: async () => undefined,
  };
}

/** One line with all sessions for each look that found something else than the last. */
function jsonScreen(io: Io): WatchScreen {
  let printed = "";
  return {
    show: async (rows) => {
      const line = printedLine(rows, io);
      if (line !== printed) await io.stdout(line);
      printed = line;
    },
    close: async () => undefined,
  };
}

/** Waiting that an interrupt ends. */
function openPause(io: Io) {
  let isStopped = false;
  let wake = () => {};
  const stopListening = io.onInterrupt(() => {
    isStopped = true;
    wake();
  });
  return {
    get isStopped() {
      return isStopped;
    },
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        if (isStopped) return resolve();
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close: stopListening,
  };
}
