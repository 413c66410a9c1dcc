import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { listItemsElsewhere } from "../../../format/layout/files-of-session.js";
import { attempt } from "../../../format/layout/folder-listing.js";
import { configRootOf } from "../../../format/layout/session-paths.js";
import type { LocalPlace } from "./bundle-place.js";
import type { BundledFile } from "./manifest.js";

/*
 * What Claude Code's folder holds of a session outside of its project: task lists by session id, the plan by the name that the
 * session has for it. `todos/<session>-agent-<agent>.json` is of versions up to 2.1.45; its main agent has the id of the session.
 */

export interface PlacedFile extends Pick<BundledFile, "name"> {
  readonly place: "tasks" | "todos" | "plan";
  readonly path: string;
}

/** `slug` is the session's name for its plan. */
export function listPlacedFiles(
  transcript: string,
  id: string,
  { path }: LocalPlace,
  slug: string | null,
): PlacedFile[] {
  const items = listItemsElsewhere(transcript, { links: "follow", problems: [] }).filter(({ kind }) => kind === "file");
  const tasks = items.filter(({ place }) => place === "tasks");
  const todos = items.filter(({ place }) => place === "todos");
  const plans = join(configRootOf(path), "plans");
  const names = slug === null ? [] : (attempt(plans, [], () => readdirSync(plans)) ?? []).filter(isPlanOf(slug));
  return [
    ...tasks.map(({ path, name }) => ({ place: "tasks" as const, name, path })),
    ...todos.map(({ path }) => ({ place: "todos" as const, name: todoName(basename(path), id), path })),
    ...names.sort().map((name) => ({ place: "plan" as const, name, path: join(plans, name) })),
  ].filter(({ name }) => name !== ".lock");
}

function isPlanOf(slug: string): (name: string) => boolean {
  return (name) => name === `${slug}.md` || (name.startsWith(`${slug}-agent-`) && name.endsWith(".md"));
}

function todoName(name: string, id: string): string {
  const agent = name.slice(`${id}-agent-`.length, -".json".length);
  return agent === id ? "session.json" : `agent-${agent}.json`;
}

/** Where such a file goes in Claude Code's folder. */
export function pathOfPlaced(
  configRoot: string,
  id: string,
  { place, name }: Pick<PlacedFile, "place" | "name">,
): string {
  if (place === "plan") return join(configRoot, "plans", name);
  if (place === "tasks") return join(tasksFolder(configRoot, id), name);
  return join(
    configRoot,
    "todos",
    `${id}-agent-${name === "session.json" ? id : name.slice("agent-".length, -".json".length)}.json`,
  );
}

export function tasksFolder(configRoot: string, id: string): string {
  return join(configRoot, "tasks", id);
}
