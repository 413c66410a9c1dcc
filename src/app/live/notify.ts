import { spawn } from "node:child_process";
import type { Environment } from "../settings.js";
import type { LiveEvent } from "./live-events.js";

export interface NotifyOptions {
  readonly desktop: boolean;
  /** A command line of the user; it learns of the event by environment variables. */
  readonly command?: string;
}

/** Shows an event by the system's own tool, and runs the user's command. What fails is told once. */
export function openNotifier(options: NotifyOptions, environment: Environment): (event: LiveEvent) => void {
  const told = new Set<string>();
  const warnOnce = (text: string) => {
    if (!told.has(text)) environment.warn(text);
    told.add(text);
  };
  return (event) => {
    const title = `turnlog: ${event.row.title ?? event.row.id}`;
    if (options.desktop) {
      const tool = desktopTool(title, event.text, environment.platform);
      if (tool) run(tool.program, tool.args, environment.env, warnOnce);
      else warnOnce("desktop notifications are not supported on this system; use --notify bell or --notify-command");
    }
    if (options.command === undefined) return;
    const { program, args } = shellOf(options.command, environment);
    run(program, args, { ...environment.env, ...variablesOf(event) }, warnOnce);
  };
}

/** The texts are arguments, never part of a script. */
function desktopTool(
  title: string,
  text: string,
  platform: NodeJS.Platform,
): { readonly program: string; readonly args: readonly string[] } | undefined {
  if (platform === "darwin") {
    const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    return { program: "osascript", args: [...script.flatMap((line) => ["-e", line]), title, text] };
  }
  if (platform === "win32") return undefined;
  return { program: "notify-send", args: ["--app-name=turnlog", "--", title, text] };
}

function shellOf(command: string, { platform, env }: Environment) {
  return platform === "win32"
    ? { program: env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { program: "/bin/sh", args: ["-c", command] };
}

function variablesOf({ kind, row, text }: LiveEvent): Record<string, string> {
  return {
    TURNLOG_EVENT: kind,
    TURNLOG_SESSION: row.id,
    TURNLOG_TITLE: row.title ?? "",
    TURNLOG_PROJECT: row.project ?? "",
    TURNLOG_TEXT: text,
  };
}

function run(program: string, args: readonly string[], env: Environment["env"], warn: (text: string) => void): void {
  const child = spawn(program, args, { env: { ...env }, stdio: "ignore" });
  child.on("error", (error) => warn(`cannot run ${program}: ${error.message}`));
  child.on("exit", (code) => {
    if (code !== null && code !== 0) warn(`${program} ended with ${code}`);
  });
  child.unref();
}
