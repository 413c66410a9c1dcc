import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonView } from "../../../../src/cli/follow/follow-view.js";
import { SessionTail } from "../../../../src/cli/follow/session-tail.js";
import type { SessionEvent } from "../../../../src/session/turns/session-events.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { runCli } from "../../run-cli.js";

const nameOf = ({ type, timestamp, toolUseId, input, errorMsg }: SessionEvent) =>
  JSON.stringify([type, timestamp, toolUseId, input, type === "error" ? errorMsg : null]);

/** What a tail tells of a file that grows line by line. */
function tellLineByLine(lines: readonly string[]): string[] {
  const path = join(temporaryFolder({ "a.jsonl": "" }), "a.jsonl");
  const tail = new SessionTail(path, {
    view: jsonView((value) => value, { isTerminal: false }),
    turns: 1,
    load: {},
    heading: () => "",
    onNotice: () => undefined,
  });
  const told = lines.flatMap((line) => {
    appendFileSync(path, line);
    return [...tail.news()];
  });
  tail.close();
  return told
    .flatMap((piece) => piece.split("\n"))
    .filter((line) => line !== "")
    .map((line) => nameOf(JSON.parse(line)));
}

test.each(corpusSessions())("all of %s is told once, line by line", async (file) => {
  const lines = readFileSync(join(CORPUS, file), "utf8").match(/[^\n]*\n/g) ?? [];
  const told = tellLineByLine(lines);
  const shown: SessionEvent[] = JSON.parse(
    (await runCli(["show", join(CORPUS, file), "--events", "--json", "--reveal"])).stdout,
  );
  const names = new Set(told);
  const missing = shown.filter((event) => event.success !== null && !names.has(nameOf(event)));
  expect({ missing, repeated: told.filter((name, at) => told.indexOf(name) !== at) }).toEqual({
    missing: [],
    repeated: [],
  });
});
