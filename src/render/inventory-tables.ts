import type { Count, Inventory } from "../session/inventory.js";
import { neutralize } from "./neutralize.js";
import { paintTable } from "./table.js";

/** What a file is made of, table by table. */
export function paintInventory(inventory: Inventory): string {
  const { lines, brokenLines, toolCalls, humanTurns, stringContents } = inventory;
  const sums = { lines, "broken lines": brokenLines, "tool calls": toolCalls, "prompts in the file": humanTurns };
  const figures = Object.entries({ ...sums, "user records with plain text": stringContents });
  const tables: readonly (readonly [string, readonly Count[]])[] = [
    ["file", figures.map(([name, count]) => ({ name, count }))],
    ["versions", inventory.versions],
    ["record types", inventory.types],
    ["stop reasons (per assistant line)", inventory.stopReasons],
    ["content blocks", inventory.blocks],
    ["system subtypes", inventory.systemSubtypes],
    ["attachment types", inventory.attachmentTypes],
    ["progress types", inventory.progressTypes],
  ];
  return tables
    .filter(([, counts]) => counts.length > 0)
    .map(
      ([title, counts]) =>
        `${title}\n${indent(paintTable(counts.map(({ name, count }) => [String(count), neutralize(name)])))}\n`,
    )
    .join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
