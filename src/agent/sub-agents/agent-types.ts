import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readIfReadable } from "../../errors.js";
import { isForeign } from "../project-file.js";

/** A type of sub-agent. */
export interface AgentType {
  readonly name: string;
  readonly description: string;
  readonly isBuiltIn: boolean;
  /** Undefined: all tools that sub-agents may use. */
  readonly tools: readonly string[] | undefined;
  readonly model: string | undefined;
  readonly system: string;
}

const REPORT =
  "You work for another assistant, on one task, and cannot ask anybody. Your last message is your report: it is all that the other one sees. Say what you did and found, with paths and lines, and what you could not do.";

const BUILT_IN: readonly AgentType[] = [
  {
    name: "general-purpose",
    description: "Any task of several steps: research, search and changes.",
    isBuiltIn: true,
    tools: undefined,
    model: undefined,
    system: REPORT,
  },
  {
    name: "Explore",
    description: "Finds things in a code base, quickly; changes nothing.",
    isBuiltIn: true,
    tools: ["Read", "Glob", "Grep", "WebFetch", "WebSearch"],
    model: undefined,
    system: `${REPORT}\nYou only look: you change nothing.`,
  },
];

/**
 * Built-in types and those of `.claude/agents/*.md`; a project's type replaces the user's of the same name. Links out of the
 * project are not read; `onLeftOut` gets them.
 */
export function readAgentTypes(
  configRoot: string,
  projectRoot: string,
  onLeftOut: (path: string) => void,
): readonly AgentType[] {
  const userFolder = join(configRoot, "agents");
  const projectFolder = join(projectRoot, ".claude", "agents");
  const ofProject = projectFolder === userFolder ? [] : definitionsIn(projectFolder);
  const foreign = new Set(ofProject.filter((path) => isForeign(path, projectRoot)));
  for (const path of foreign) onLeftOut(path);
  const own = [...definitionsIn(userFolder), ...ofProject.filter((path) => !foreign.has(path))].flatMap(toAgentType);
  return [...new Map([...BUILT_IN, ...own].map((type) => [type.name, type])).values()];
}

function definitionsIn(folder: string): readonly string[] {
  return listIfPresent(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(folder, name));
}

function listIfPresent(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no such folder
  }
}

function toAgentType(path: string): AgentType[] {
  const text = readIfReadable(path) ?? "";
  const parts = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text);
  if (!parts) return [];
  const fields = readFields(parts[1] ?? "");
  const model = fields.get("model")?.join(" ");
  const tools = fields.get("tools")?.flatMap((text) => text.replace(/^\[|\]$/g, "").split(","));
  return [
    {
      name: fields.get("name")?.join(" ") ?? basename(path, ".md"),
      description: fields.get("description")?.join(" ") ?? "",
      isBuiltIn: false,
      tools: tools?.map(unquoted).filter((tool) => tool !== ""),
      model: model === undefined || model === "inherit" ? undefined : model,
      system: `${(parts[2] ?? "").trim()}\n\n${REPORT}`,
    },
  ];
}

/** A subset of YAML: `name: text`, lists in brackets or with dashes, and continued text. */
function readFields(text: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  let name = "";
  for (const line of text.split(/\r?\n/)) {
    const [, key, value = line.replace(/^\s*(?:- +)?/, "")] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    name = key ?? name;
    if (value.trim() === "" || /^[|>][+-]?$/.test(value.trim())) continue;
    fields.set(name, [...(fields.get(name) ?? []), unquoted(value)]);
  }
  return fields;
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}
