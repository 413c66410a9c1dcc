import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords, readRecords } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { type Count, createInventory } from "../../../src/session/facts/inventory.js";
import { chain, prompt, toLines } from "../../builders/session-builder.js";
import { classifyUser } from "../../oracle/classify-user.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";
import { stringAt, valueAt } from "../../oracle/json-at.js";
import type { Row } from "../../oracle/read-session.js";

function takeInventory(records: Iterable<LogRecord>) {
  const inventory = createInventory();
  for (const record of records) inventory.add(record);
  return inventory.view();
}

/** The tables again, from the JSON of each line alone. */
function tablesOf(file: string) {
  const lines = readFileSync(file, "utf8").split("\n");
  const kept = lines.map((text, index) => ({ text: text.trim(), line: index + 1 })).filter(({ text }) => text !== "");
  const rows = kept.flatMap(({ text, line }) => toRow(text, line));
  const talk = rows.filter(({ type }) => type === "user" || type === "assistant");
  const listed = talk.flatMap(({ json }) => listAt(json));
  const assistants = rows.filter(({ type }) => type === "assistant");
  return {
    lines: kept.length,
    brokenLines: kept.length - rows.length,
    versions: tally(rows.flatMap(({ json }) => stringAt(json, "version") ?? [])),
    types: tally(rows.map(({ type }) => type)),
    toolCalls: listed.filter((block) => stringAt(block, "type") === "tool_use").length,
    humanTurns: rows.filter(isHumanPrompt).length,
    stringContents: rows.filter((row) => row.type === "user" && stringAt(row.json, "message", "content") !== null)
      .length,
    stopReasons: tally(assistants.map(({ json }) => stringAt(json, "message", "stop_reason") ?? "null")),
    blocks: tally(listed.map((block) => stringAt(block, "type") ?? "(none)")),
    systemSubtypes: tally(typesAt(rows, "system", "subtype")),
    attachmentTypes: tally(typesAt(rows, "attachment", "attachment", "type")),
    progressTypes: tally(typesAt(rows, "progress", "data", "type")),
  };
}

function toRow(text: string, line: number): Row[] {
  try {
    const json = JSON.parse(text);
    return [{ line, type: json.type, uuid: json.uuid ?? null, json }];
  } catch {
    return [];
  }
}

function listAt(json: Row["json"]): unknown[] {
  const content = valueAt(json, "message", "content");
  return Array.isArray(content) ? content : [];
}

function isHumanPrompt(row: Row): boolean {
  return row.type === "user" && row.json["isSidechain"] !== true && classifyUser(row) === "prompt";
}

function typesAt(rows: readonly Row[], type: string, ...path: readonly string[]): string[] {
  return rows.filter((row) => row.type === type).map(({ json }) => stringAt(json, ...path) ?? "(none)");
}

function tally(names: readonly string[]): Count[] {
  return [...new Set(names)]
    .map((name) => ({ name, count: names.filter((other) => other === name).length }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

describe("the inventory", () => {
  test.each(corpusSessions())("has the numbers that a plain walk over the lines counts: %s", (name) => {
    const file = join(CORPUS, name);
    expect(takeInventory(readRecords(file))).toEqual(tablesOf(file));
  });

  test.each(corpusSessions())("is the same from abridged records: %s", (name) => {
    const file = join(CORPUS, name);
    expect(takeInventory(readRecords(file, { abridge: true }))).toEqual(takeInventory(readRecords(file)));
  });

  test("counts text blocks, not string contents, as text", () => {
    const rows = chain(prompt("one"), prompt([{ type: "text", text: "two" }]));
    const { blocks, humanTurns, stringContents } = takeInventory(parseRecords(toLines(rows)));
    expect({ blocks, humanTurns, stringContents }).toEqual({
      blocks: [{ name: "text", count: 1 }],
      humanTurns: 2,
      stringContents: 1,
    });
  });

  test("counts glued records apart and their line once", () => {
    const [first, second] = chain(prompt("one"), prompt("two")).map((row) => JSON.stringify(row));
    const { lines, types } = takeInventory(parseRecords(`${first}${second}\n`));
    expect({ lines, types }).toEqual({ lines: 1, types: [{ name: "user", count: 2 }] });
  });
});
