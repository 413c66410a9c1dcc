import type { ShownHeader } from "../../render/shown-session.js";
import type { Turn } from "../../session/build-turn.js";
import type { Warning } from "../../session/facts.js";
import type { DeadBranch, Totals } from "../../session/outline.js";
import type { ToolStatus } from "../../session/tool-status.js";
import type { Usage } from "../../session/usage.js";

/** `GET /api/sessions/:id`: everything but the texts. `?branch=` the same along a rewound branch, `?from=&to=` some turns alone. */
export interface SessionAnswer {
  readonly header: ServedHeader;
  readonly totals: Totals;
  readonly live: boolean;
  readonly sizeBytes: number;
  /** Grows with the file: the same version has the same turns. */
  readonly version: number;
  readonly turns: readonly OutlineTurn[];
  readonly compactions: readonly OutlineCompaction[];
  readonly branches: {
    readonly active: string | null;
    readonly shown: string | null;
    readonly dead: readonly OutlineBranch[];
  };
  readonly subagents: readonly ServedSubagent[];
  readonly warnings: readonly Warning[];
  /** How its client goes on with it; null where the folder is not known. */
  readonly resumeCommand: string | null;
}

export interface ServedHeader extends ShownHeader {
  readonly userTitle: string | null;
}

export interface OutlineTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  /** Of the last that was said in it. */
  readonly lastUuid: string | null;
  readonly line: number;
  readonly kind: Turn["kind"];
  readonly round: Turn["round"];
  readonly prompt: string; // its beginning
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly complete: boolean;
  readonly interrupted: boolean;
  readonly calls: readonly OutlineCall[];
  readonly apiErrors: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface OutlineCall {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
}

export interface OutlineCompaction {
  readonly turn: number; // 0: before the first
  readonly line: number;
  readonly at: string | null;
  readonly trigger: string | null;
  readonly preTokens: number | null;
  readonly postTokens: number | null;
}

export interface OutlineBranch extends DeadBranch {
  /** So many turns it begins with are those of the active branch; null where that was not looked for. */
  readonly sharedTurns: number | null;
}

export interface ServedSubagent {
  readonly agentId: string;
  readonly toolUseId: string | null;
  readonly turn: number | null; // in which it was launched
  readonly type: string | null;
  readonly description: string | null;
  readonly warmup: boolean;
  readonly totals: Totals;
}
