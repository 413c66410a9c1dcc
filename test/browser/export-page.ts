import { join } from "node:path";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";

/** Exports a session as users do; returns the path of the file. */
export async function exportPage(session: string, env: Record<string, string> = {}): Promise<string> {
  const file = join(temporaryFolder(), "page.html");
  const { exitCode, stderr } = await runCli(["export", session, "--format", "html", "-o", file], env);
  if (exitCode !== 0) throw new Error(stderr);
  return file;
}
