import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { LineSplitter, readChunks } from "../../format/reader/record-reader.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { type MessageUsage, scanUsage } from "../../session/messages/scan-usage.js";
import { sumUsage, type Usage } from "../../session/messages/usage.js";
import { expandRoots } from "../sources/find-sessions.js";
import { walkLibrary } from "../sources/walk-library.js";

export interface TokenTotals {
  readonly messages: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly unknownOutputs: number;
  readonly byModel: readonly { readonly model: string; readonly messages: number; readonly usage: Usage }[];
  readonly problems: readonly FileProblem[];
}

/** What all sessions below the folders and their sub-agents spent, each message once, at the speed of a byte scan. */
export function scanTotals(folders: string | readonly string[], prices?: PriceTable): TokenTotals {
  const found = walkLibrary(expandRoots(folders));
  const problems: FileProblem[] = [...found.problems];
  const scan = scanUsage();
  for (const { path } of found.files) attempt(path, problems, () => scanFile(path, scan.add));
  const messages = scan.messages();
  return { ...addUp(messages, prices), byModel: byModel(messages), problems };
}

function scanFile(path: string, add: (bytes: Buffer, start: number, end: number) => void): void {
  const splitter = new LineSplitter(({ bytes, start, end }) => add(bytes, start, end));
  for (const chunk of readChunks(path)) splitter.push(chunk);
  splitter.end();
}

function addUp(messages: readonly MessageUsage[], prices?: PriceTable): Omit<TokenTotals, "byModel" | "problems"> {
  const costs = messages.map(({ usage, model, speed }) =>
    costOf(usage, model ?? undefined, speed ?? undefined, prices),
  );
  return {
    messages: messages.length,
    usage: sumUsage(messages.map(({ usage }) => usage)),
    costUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
    unknownOutputs: messages.filter(({ outputKnown }) => !outputKnown).length,
  };
}

function byModel(messages: readonly MessageUsage[]): TokenTotals["byModel"] {
  const groups = new Map<string, MessageUsage[]>();
  for (const message of messages) {
    const model = message.model ?? "unknown";
    const group = groups.get(model);
    if (group) group.push(message);
    else groups.set(model, [message]);
  }
  return [...groups].map(([model, own]) => ({
    model,
    messages: own.length,
    usage: sumUsage(own.map(({ usage }) => usage)),
  }));
}
