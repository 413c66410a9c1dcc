import type { LogRecord } from "../format/record.js";
import type { Links } from "./link-nodes.js";
import type { Node } from "./node.js";
import type { ProblemLog } from "./problem-log.js";
import { lastTalk, wayTo } from "./way-to-end.js";

export interface LeafCheck {
  add(record: LogRecord): void;
  /** The index of the node that ends the conversation for 2.1.325; -1 where there is none. */
  finish(nodes: readonly Node[], links: Links): number;
}

interface Hint {
  readonly line: number;
  readonly uuid: string | undefined;
}

/** 2.1.325 writes it after a rewind to say that no leaf is meant. */
const NO_LEAF = "00000000-0000-0000-0000-000000000000";

/** Whether the record that the client left as the end of the conversation exists, and is the end for all; the last word stands. */
export function createLeafCheck(log: ProblemLog): LeafCheck {
  let hint: Hint | undefined;
  return {
    add(record) {
      if (record.kind === "side" && record.fact.tells === "lastPrompt") {
        hint = { line: record.line, uuid: record.fact.leafUuid ?? undefined };
      }
    },
    finish(nodes, links) {
      const last = lastTalk(nodes, links);
      if (hint?.uuid === undefined || hint.uuid === NO_LEAF) return last;
      const leaf = links.indexOf.get(hint.uuid);
      if (leaf === undefined) log.add("unresolved-leaf", hint.line, hint.uuid);
      if (leaf === undefined || !links.isMain(leaf) || isOneWay(leaf, last, links)) return last;
      if ((nodes[last]?.line ?? 0) > hint.line) return last; // the conversation went on elsewhere
      log.add("leaf-elsewhere", hint.line, nodes[leaf]?.line);
      return leaf;
    },
  };
}

function isOneWay(a: number, b: number, links: Links): boolean {
  return wayTo(a, links).includes(b) || wayTo(b, links).includes(a);
}
