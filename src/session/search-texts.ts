import { isObject, stringAt } from "../format/json.js";
import { toAttachmentContent } from "../format/record/attachment-content.js";
import type { ContentBlock, ToolCallBlock, ToolResultBlock } from "../format/record/content-block.js";
import { type PersonsWords, personsWordsIn, spokenWords, typedBeside } from "../format/record/persons-words.js";
import type {
  AssistantRecord,
  AttachmentRecord,
  LogRecord,
  SystemRecord,
  UserRecord,
} from "../format/record/record.js";
import { localCommandText, queuedText } from "./graph/node.js";
import { classifyInput, ownText, promptText } from "./prompts/classify-input.js";
import { parseLocalOutput } from "./prompts/wrappers.js";

/** `command`: typed after a slash or an exclamation mark, or run by the model. `context`: attachments, summaries of compactions, notices. */
export type TextKind =
  | "prompt"
  | "answer"
  | "thinking"
  | "command"
  | "toolInput"
  | "toolOutput"
  | "title"
  | "file"
  | "context";

/** One searchable text of a record, identified by its position among the texts of the record. */
export interface SearchText {
  readonly kind: TextKind;
  readonly text: string;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly isError?: true;
}

/** The texts of a record without blank ones, signatures, images and copies of other records. */
export function searchTexts(record: LogRecord): SearchText[] {
  return listTexts(record).filter(({ text }) => text.trim() !== "");
}

function listTexts(record: LogRecord): SearchText[] {
  switch (record.kind) {
    case "user":
      return userTexts(record);
    case "assistant":
      return assistantTexts(record);
    case "system":
      return systemTexts(record);
    case "attachment":
      return attachmentTexts(record);
    case "progress":
    case "side":
    case "other":
    case "broken":
      return [];
  }
}

function userTexts(record: UserRecord): SearchText[] {
  switch (classifyInput(record)) {
    case "toolResult":
      return resultTexts(record);
    case "prompt":
      return [{ kind: "prompt", text: promptText(record) }];
    case "command":
    case "bash":
      return [{ kind: "command", text: promptText(record) }];
    case "commandOutput":
    case "bashOutput":
      return [{ kind: "toolOutput", text: parseLocalOutput(ownText(record.blocks)) }];
    case "notification":
      return [{ kind: "toolOutput", text: ownText(record.blocks) }];
    case "interrupt":
      return [];
    case "compactSummary":
    case "injected":
    case "contextOnly":
    case "notHuman":
      return record.blocks.flatMap(contextTexts);
  }
}

/** What a person said is not found a second time as output of the tool. */
function resultTexts(record: UserRecord): SearchText[] {
  const words = personsWordsIn(record);
  const typed = new Set<ContentBlock>(typedBeside(record));
  const rest = record.blocks.flatMap((block) => {
    if (block.kind !== "toolResult") return typed.has(block) ? [] : contextTexts(block);
    const own = words.filter(({ toolUseId }) => toolUseId === block.toolUseId);
    return outputTexts({ ...block, text: withoutWords(block.text, own) });
  });
  return [...words.map(({ text, toolUseId }): SearchText => ({ kind: "prompt", text, toolUseId })), ...rest];
}

/** The text of an answered question has nothing but the question, which the call has, and the answers. */
function withoutWords(text: string, words: readonly PersonsWords[]): string {
  if (words.some(({ kind }) => kind === "answer")) return "";
  return words.reduce((rest, said) => rest.replace(said.text, () => ""), text);
}

function outputTexts({ toolUseId, text, isError }: ToolResultBlock): SearchText[] {
  return [isError ? { kind: "toolOutput", text, toolUseId, isError } : { kind: "toolOutput", text, toolUseId }];
}

function contextTexts(block: ContentBlock): SearchText[] {
  return block.kind === "text" ? [{ kind: "context", text: block.text }] : [];
}

function assistantTexts(record: AssistantRecord): SearchText[] {
  return record.blocks.flatMap((block): SearchText[] => {
    switch (block.kind) {
      case "text":
        return [
          record.isApiError
            ? { kind: "answer", text: block.text, isError: true }
            : { kind: "answer", text: block.text },
        ];
      case "thinking":
        return [{ kind: "thinking", text: block.text }];
      case "toolCall":
        return callTexts(block);
      case "toolResult":
        return outputTexts(block);
      default:
        return [];
    }
  });
}

function callTexts({ id, name, input }: ToolCallBlock): SearchText[] {
  const path = stringAt(input, "file_path") ?? stringAt(input, "notebook_path") ?? stringAt(input, "path") ?? "";
  return [
    { kind: name === "Bash" ? "command" : "toolInput", text: leafTexts(input).join("\n"), tool: name, toolUseId: id },
    { kind: "file", text: path, tool: name, toolUseId: id },
  ];
}

/** The strings and numbers in a JSON value without its keys, in order; however deeply it is nested. */
function leafTexts(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "number") texts.push(String(next));
    else if (Array.isArray(next) || isObject(next)) for (const part of Object.values(next).reverse()) open.push(part);
  }
  return texts;
}

function systemTexts(record: SystemRecord): SearchText[] {
  const { subtype, content = "" } = record;
  const spoken = spokenWords(record);
  if (spoken) return [{ kind: "prompt", text: spoken.text }];
  if (subtype !== "local_command") return [{ kind: "context", text: content }];
  const command = localCommandText(content);
  return [
    command === undefined
      ? { kind: "toolOutput", text: parseLocalOutput(content) }
      : { kind: "command", text: command },
  ];
}

function attachmentTexts(record: AttachmentRecord): SearchText[] {
  const prompt = queuedText(record);
  if (prompt !== undefined) return [{ kind: "prompt", text: prompt }];
  return toAttachmentContent(record)?.blocks.flatMap(contextTexts) ?? [];
}
