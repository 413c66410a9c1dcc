import { mkdtempSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../../errors.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { type OutputFile, refusePlace } from "../output-file.js";
import { LARGEST_PAGE, wholePage } from "./html-page.js";
import { type HtmlFile, partPages } from "./html-parts.js";
import { type HtmlSource, type SpooledSession, spoolSession } from "./html-session.js";

/** A session as a folder of pages that lead to each other, as a whole or not at all. */
export async function writeHtmlFolder(output: OutputFile, source: HtmlSource): Promise<void> {
  const target = resolve(output.path);
  refuseTarget(target, output);
  const draft = mkdtempSync(join(dirname(target), `.${basename(target)}.`));
  try {
    for await (const { name, pieces } of spoolSession(source, () => {}, toFiles)) {
      await atomicWriteChunks(join(draft, name), pieces, { durable: false });
    }
    removePages(target);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function toFiles(session: SpooledSession): Iterable<HtmlFile> {
  return session.spool.size > LARGEST_PAGE ? partPages(session) : [{ name: "index.html", pieces: wholePage(session) }];
}

const PAGE_NAME = /^(index|part-\d+)\.html$/;

function refuseTarget(target: string, output: OutputFile): void {
  const { path, overwrite } = output;
  const parent = dirname(target);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError("not-found", `there is no folder ${parent}`, "create it first, or name another one");
  }
  refusePlace(join(realpathSync(parent), basename(target)), output);
  const names = namesIn(target);
  if (names.some((name) => !PAGE_NAME.test(name))) {
    throw new UserError("exists", `${path} holds other files`, "name a new folder, or an empty one");
  }
  if (names.length > 0 && !overwrite) throw new UserError("exists", `${path} exists`, "--force overwrites its pages");
}

function namesIn(folder: string): string[] {
  const existing = statSync(folder, { throwIfNoEntry: false });
  if (existing && !existing.isDirectory()) {
    throw new UserError("exists", `${folder} is a file`, "name a folder, or the file without a slash at its end");
  }
  return existing ? readdirSync(folder) : [];
}

/** Only pages of an earlier export are ever removed. */
function removePages(folder: string): void {
  const names = namesIn(folder);
  for (const name of names.filter((name) => PAGE_NAME.test(name))) rmSync(join(folder, name));
  if (statSync(folder, { throwIfNoEntry: false })) rmdirSync(folder);
}
