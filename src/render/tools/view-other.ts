import { isObject, numberAt, stringAt, tryParseJson } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import { outputPart, resultText, type ViewPart, type ViewTool } from "./view-parts.js";

/** Any tool without a view of its own, such as MCP tools: its input and its result. */
export const viewOther: ViewTool = (call) => ({
  title: TITLES.get(call.name)?.(call.input) ?? describeInput(call.input),
  parts: [...inputParts(call), ...responseParts(call)],
});

/** Tools whose title is one field of the input. */
const TITLES: ReadonlyMap<string, (input: unknown) => string | undefined> = new Map([
  ["EnterPlanMode", () => "plan mode"],
  ["EnterWorktree", (input: unknown) => stringAt(input, "name") ?? stringAt(input, "path")],
  ["ExitWorktree", (input: unknown) => stringAt(input, "action")],
  ["ToolSearch", (input: unknown) => stringAt(input, "query")],
  ["SendMessage", (input: unknown) => prefixed("to ", stringAt(input, "to"))],
  ["Monitor", (input: unknown) => stringAt(input, "description") ?? stringAt(input, "command")],
  ["LSP", (input: unknown) => lspTitle(input)],
]);

function lspTitle(input: unknown): string | undefined {
  const place = [stringAt(input, "filePath"), numberAt(input, "line"), numberAt(input, "character")];
  const where = place.filter((part) => part !== undefined).join(":");
  return prefixed(`${stringAt(input, "operation") ?? ""} `, where === "" ? undefined : where);
}

function prefixed(before: string, word: string | undefined): string | undefined {
  return word === undefined ? undefined : before + word;
}

/** `project: shop, number: 12`: keys in the order of the input, long values shortened. */
function describeInput(input: unknown): string {
  if (!isObject(input)) return typeof input === "string" ? input : "";
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "object" && value !== null ? "…" : shortWords(String(value))}`)
    .join(", ");
}

const SHORT_CHARACTERS = 60;

function shortWords(text: string): string {
  return text.length <= SHORT_CHARACTERS ? text : `${text.slice(0, SHORT_CHARACTERS)}…`;
}

function inputParts({ input }: ToolCall): ViewPart[] {
  const isEmpty = input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0);
  return isEmpty ? [] : [{ kind: "json", value: input, label: "input" }];
}

/** Most MCP tools return JSON. The structured result is shown if the model read no text. */
function responseParts(call: ToolCall): ViewPart[] {
  const { resultData, resultBlocks } = call;
  const text = resultText(call);
  const json = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  if (json !== undefined) return [{ kind: "json", value: json, label: "result" }];
  if (text.trim() !== "") return [outputPart(text, "result")];
  const others = resultBlocks.filter(({ kind }) => kind !== "image").map(({ raw }) => raw);
  if (others.length > 0) return [{ kind: "json", value: others, label: "result" }];
  const isNoted = resultData !== null && call.images === 0;
  return isNoted ? [{ kind: "json", value: resultData, label: "result" }] : [];
}
