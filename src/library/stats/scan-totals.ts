import { listAt } from "../../collections.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { sumUsage, type Usage } from "../../session/messages/usage.js";
import type { MessageFigures } from "../../session/number-rows.js";
import { type Copy, MESSAGES, mergeCopies } from "../catalog/number-kinds.js";
import { expandRoots } from "../sources/find-sessions.js";
import { walkLibrary } from "../sources/walk-library.js";
import { readSpent } from "./read-spent.js";
import { scanFile } from "./scan-file.js";

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
  const { files, problems: notFound } = walkLibrary(expandRoots(folders));
  const problems: FileProblem[] = [...notFound];
  const copies = new Map<string, Copy<MessageFigures>[]>();
  for (const [file, { path, agent }] of files.entries()) {
    const isAgent = agent !== undefined;
    const spent = attempt(path, problems, () => scanFile(path, isAgent) ?? readSpent(path, isAgent));
    const messages = spent?.messages ?? [];
    for (const figures of messages) {
      listAt(copies, figures.id).push({ key: figures.id, file, isCopied: figures.isCopied, figures });
    }
  }
  const pathOf = (file: number) => files[file]?.path;
  const messages = [...copies.values()].flatMap(
    (group) => mergeCopies(group, pathOf, MESSAGES.join)[0]?.figures ?? group[0]?.figures ?? [],
  );
  return { ...addUp(messages, prices), byModel: byModel(messages), problems };
}

function addUp(messages: readonly MessageFigures[], prices?: PriceTable): Omit<TokenTotals, "byModel" | "problems"> {
  const costs = messages.map(({ usage, model, speed }) =>
    costOf(usage, model ?? undefined, speed ?? undefined, prices),
  );
  return {
    messages: messages.length,
    usage: sumUsage(messages.map(({ usage }) => usage)),
    costUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
    unknownOutputs: messages.filter(({ isOutputKnown }) => !isOutputKnown).length,
  };
}

function byModel(messages: readonly MessageFigures[]): TokenTotals["byModel"] {
  const groups = new Map<string, MessageFigures[]>();
  for (const message of messages) listAt(groups, message.model ?? "unknown").push(message);
  return [...groups].map(([model, own]) => ({
    model,
    messages: own.length,
    usage: sumUsage(own.map(({ usage }) => usage)),
  }));
}
