import { basename } from "node:path";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { openScan, type SecretPlace } from "../../../app/scan-secrets.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { warnAboutSkipped } from "../../../app/skipped-files.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintPlainTable } from "../../../render/terminal/lists/list-table.js";
import type { CommandContext } from "../../io.js";
import { printedJson } from "../../terminal/printed-json.js";

interface ScanOptions extends RootOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog scan               all sessions
  turnlog scan last --json   one session, for a script`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("[session]", "only this session and its sub-agents (default: all sessions)")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, options: ScanOptions) => {
      const roots = await sessionRoots(io, options);
      const problems: FileProblem[] = [];
      const knowledge = await loadOptions(io);
      const scan = await openScan(io, problems);
      const secrets = [
        ...(name === undefined ? scan.all(roots, knowledge) : scan.session(chooseSession(name, roots, io, knowledge))),
      ];
      warnAboutSkipped(problems, io);
      await io.stdout(options.json ? printedJson(secrets, io) : paintSecrets(secrets));
    });
}

/** One row per secret and file. */
function paintSecrets(secrets: readonly SecretPlace[]): string {
  if (secrets.length === 0) return "no keys, tokens or passwords found\n";
  const groups = new Map<string, SecretPlace[]>();
  for (const secret of secrets) {
    const key = `${secret.path} ${secret.fingerprint}`;
    groups.set(key, [...(groups.get(key) ?? []), secret]);
  }
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first
      ? [[neutralize(first.sessionId), first.kind, `#${first.fingerprint}`, describePlace(first, group)]]
      : [];
  });
  const distinct = new Set(secrets.map(({ fingerprint }) => fingerprint)).size;
  const verdict = `${formatCount(distinct, "secret")} in ${formatCount(new Set(secrets.map(({ sessionId }) => sessionId)).size, "session")}`;
  return `${paintPlainTable(rows)}\n${verdict}\n`;
}

function describePlace({ path, sessionId }: SecretPlace, group: readonly SecretPlace[]): string {
  const lines = shorten([...new Set(group.map(({ line }) => line))]);
  const file = basename(path);
  return `line ${lines}${file === `${sessionId}.jsonl` ? "" : ` of ${neutralize(file)}`}`;
}

function shorten(lines: readonly number[]): string {
  return lines.slice(0, 5).join(", ") + (lines.length > 5 ? ` and ${lines.length - 5} more` : "");
}
