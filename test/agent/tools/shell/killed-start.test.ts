import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { transpiledModule } from "../../../format/writer/transpiled-sources.js";

/** A process that starts a command and is killed while it notes it; returns the files that are there a moment later. */
async function killWhileNoting(shells: string, note: string): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const script = `
    import { writeFileSync } from "node:fs";
    import { Shells } from ${JSON.stringify(shells)};
    const add = () => { ${note}; process.kill(process.pid, "SIGKILL"); };
    const command = { command: "echo $$ > ran; sleep 5", cwd: ".", env: process.env, onOutput: () => {} };
    new Shells(() => {}, { add }).run(command);
  `;
  const options = { cwd: folder, stdio: "inherit" } as const;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], options);
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return readdirSync(folder);
}

test("a command whose chat is killed before or after it is noted, but before it knows, never runs", async () => {
  const shells = transpiledModule("agent/tools/shell/shells", ["agent", "store", "format"]);
  const notes = ["", 'writeFileSync("noted", "")'];
  expect(await Promise.all(notes.map((note) => killWhileNoting(shells, note)))).toEqual([[], ["noted"]]);
}, 60_000);
