import { randomBytes, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { projectsDirOf, sessionPaths, subagentMetaFile, transcriptOf } from "../format/layout.js";
import { projectSlugs } from "../format/slug.js";
import { atomicWrite } from "../store/atomic-write.js";
import { makeFolder } from "../store/make-folder.js";
import type { Layout } from "./record/file-history.js";

/** The file of a new session, in the folder where the client looks for those of this directory. */
export function newSessionFile(configRoot: string, cwd: string, id: string = randomUUID()): string {
  const folder = join(projectsDirOf(configRoot), projectSlugs(cwd)[0]);
  makeFolder(folder);
  return transcriptOf(folder, id);
}

export interface AgentFile {
  readonly agentId: string;
  readonly path: string;
}

export function newAgentFile(sessionFile: string, layout: Layout): AgentFile {
  const { subagentsDir, projectDir } = sessionPaths(sessionFile);
  const agentId =
    layout === "current" ? `a${randomBytes(8).toString("hex")}` : randomBytes(4).toString("hex").slice(0, 7);
  return { agentId, path: join(layout === "current" ? subagentsDir : projectDir, `agent-${agentId}.jsonl`) };
}

export interface AgentMeta {
  readonly agentType: string;
  readonly isBuiltIn: boolean;
  readonly description: string;
  readonly toolUseId: string;
  readonly spawnDepth: number;
  readonly requestShape: "foreground" | "background";
  readonly finished: boolean;
}

/** 2.1.325 keeps it beside the sub-agent's file; the older layout has none. */
export function writeAgentMeta(agentFile: string, meta: AgentMeta, layout: Layout): void {
  if (layout !== "current") return;
  makeFolder(dirname(agentFile));
  atomicWrite(subagentMetaFile(agentFile), JSON.stringify(meta), { durable: false });
}

/** Keeps an output that is too long for the conversation beside the session. */
export function keepToolResult(sessionFile: string, text: string): string {
  const { toolResultsDir } = sessionPaths(sessionFile);
  makeFolder(toolResultsDir);
  const path = join(toolResultsDir, `b${randomBytes(4).toString("hex")}.txt`);
  atomicWrite(path, text, { durable: false });
  return path;
}
