import { quoteForShell } from "../../app/resume-command.js";
import type { EditFlags } from "../api/edit.js";

/** The equivalent command: `turnlog prune 611dbd00 --keep-last 10`. */
export function commandLine(command: string, names: readonly string[], flags: EditFlags = {}): string {
  const options = Object.entries(flags).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [option];
    return [value].flat().map((one) => `${option} ${quoteForShell(one)}`);
  });
  return [`turnlog ${command}`, ...names.map(quoteForShell), ...options].join(" ");
}
