import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { UserError } from "../../../errors.js";
import { projectSlugs, projectsDirOf, sessionPaths, transcriptOf } from "../../../format/layout/session-paths.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { adviceAbout, type Lock, lockSession, sessionLockPath } from "../../../store/lock.js";
import { makeFolder } from "../../../store/make-folder.js";
import type { ChatOptions } from "../../chat-options.js";
import { linkBackups } from "./file-history.js";
import { forkHistory } from "./history.js";

/** The file of the chosen session: a new one, an existing one, or a copy of one. */
export async function choosePath({ session, configRoot, recordRoot, projectDir, cwd }: ChatOptions): Promise<string> {
  const ownFolder =
    recordRoot === undefined && projectDir !== undefined
      ? projectDir
      : join(projectsDirOf(recordRoot ?? configRoot), projectSlugs(cwd)[0]);
  if (session.kind === "new") {
    makeFolder(ownFolder);
    return transcriptOf(ownFolder, session.id ?? randomUUID());
  }
  if (recordRoot !== undefined) makeFolder(ownFolder);
  else if (!session.isFork) return session.path;
  const path = transcriptOf(recordRoot === undefined ? dirname(session.path) : ownFolder, randomUUID());
  await forkHistory(session.path, path, session.at);
  const [from, to] = [session.path, path].map((file) => sessionPaths(file).id) as [string, string];
  linkBackups({ root: configRoot, id: from }, { root: recordRoot ?? configRoot, id: to });
  return path;
}

export function holdSession(dataDir: string, id: string): Lock {
  const lock = lockSession(dataDir, id);
  if (lock) return lock;
  const hint = "end it first, or resume in a copy with --fork-session";
  throw new UserError(
    "locked",
    `session ${id} is open in another turnlog${adviceAbout(sessionLockPath(dataDir, id))}`,
    hint,
  );
}

/** Stores output that is too long for the conversation in a file beside the session. */
export function keepToolResult(sessionFile: string, text: string): string {
  const { toolResultsDir } = sessionPaths(sessionFile);
  makeFolder(toolResultsDir);
  const path = join(toolResultsDir, `b${randomBytes(4).toString("hex")}.txt`);
  atomicWrite(path, text, { durable: false });
  return path;
}

/** A pronounceable name: adjective, adjective, surname. */
export function createSlug(): string {
  return [pick(ADJECTIVES), pick(ADJECTIVES), pick(SURNAMES)].join("-");
}

const ADJECTIVES = `amber brisk calm clever crisp eager fair fluffy gentle glad hazy humble keen kind light lively lucid
  merry mild neat nimble patient plain quick quiet robust rustic shiny silent snug soft steady sunny swift tidy vivid warm
  wise witty zesty`.split(/\s+/);

const SURNAMES =
  `abel babbage banach bohr boole cantor cauchy church curie dijkstra emmy erdos euler fermat galois gauss
  germain goedel hamilton hilbert hopper hypatia kepler knuth lamarr lamport liskov lovelace meitner naur neumann noether
  pascal peano ramanujan ritchie shannon thompson turing wiles wirth`.split(/\s+/);

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? "";
}
