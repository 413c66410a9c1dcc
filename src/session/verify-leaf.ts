import type { LogRecord } from "../format/record.js";
import type { Links } from "./link-nodes.js";
import type { ProblemLog } from "./problem-log.js";

export interface LeafCheck {
  add(record: LogRecord): void;
  finish(links: Links): void;
}

/** 2.1.325 writes it after a rewind to say that no leaf is meant. */
const NO_LEAF = "00000000-0000-0000-0000-000000000000";

/** Whether the record that the client left as the end of the conversation exists; the last word stands. */
export function createLeafCheck(log: ProblemLog): LeafCheck {
  let hint: { readonly line: number; readonly uuid: string | undefined } | undefined;
  return {
    add(record) {
      if (record.kind === "side" && record.fact.tells === "lastPrompt") {
        hint = { line: record.line, uuid: record.fact.leafUuid ?? undefined };
      }
    },
    finish({ indexOf }) {
      if (hint?.uuid === undefined || hint.uuid === NO_LEAF || indexOf.has(hint.uuid)) return;
      log.add("unresolved-leaf", hint.line, hint.uuid);
    },
  };
}
