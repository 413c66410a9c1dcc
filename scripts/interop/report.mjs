// The table of docs/interop.md: only what was measured.
import { readFileSync, writeFileSync } from "node:fs";
import { QUIRKS } from "./edits.mjs";

const BEGIN = "<!-- measured -->";

/** Everything before the mark is written by hand and stays. */
export function writeReport(path, results) {
  const [intro] = readFileSync(path, "utf8").split(BEGIN);
  const clients = [...new Set(results.map(({ client }) => client))].sort();
  const edits = [...new Set(results.map(({ edit }) => edit))];
  const head = ["edit", ...clients];
  const rows = edits.map((edit) => [edit, ...clients.map((client) => countOf(results, edit, client))]);
  const failures = results.filter(({ problem }) => problem !== null).map(describe);
  const sessions = [...new Set(results.map(({ session }) => session))];
  const quirks = sessions.filter((name) => name in QUIRKS);
  const parts = [
    `${results.length} checks of ${sessions.length} sessions, ${quirks.length} of them with a quirk. Passed of made:`,
    [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    "Sessions with a quirk:",
    quirks.map((name) => `- \`${name}\`: ${QUIRKS[name]}`).join("\n"),
    failures.length === 0 ? "No check failed." : `What failed:\n\n${failures.join("\n")}`,
  ];
  writeFileSync(path, `${intro}${BEGIN}\n\n${parts.join("\n\n")}\n`);
}

function countOf(results, edit, client) {
  const made = results.filter((result) => result.edit === edit && result.client === client);
  return made.length === 0 ? "" : `${made.filter(({ problem }) => problem === null).length} of ${made.length}`;
}

function describe({ session, edit, client, problem }) {
  return `- \`${session}\`, ${edit}, ${client}: ${problem.replace(/\s+/g, " ").slice(0, 160)}`;
}
