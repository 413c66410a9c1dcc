import { formatTime, lastFolder } from "../render/format-values.js";

/** The start of the placeholder for a secret. */
export const MASK = "[REDACTED:";

export function projectName(path: string | null): string {
  return lastFolder(path) || "no project";
}

/** The last folder of a project, and as many folders above it as make it unique. */
export interface ProjectLabel {
  readonly name: string;
  readonly above: string;
}

export function distinguishProjects(paths: readonly string[]): ReadonlyMap<string, ProjectLabel> {
  const folders = paths.map((path) => path.split(/[\\/]/).filter((folder) => folder !== ""));
  const told = folders.map((own): ProjectLabel => {
    const isAlone = (_: string, index: number) => {
      const end = own.slice(-index - 1).join("/");
      return folders.filter((other) => other.slice(-index - 1).join("/") === end).length === 1;
    };
    const depth = own.findIndex(isAlone) + 1 || own.length;
    return { name: own.at(-1) ?? "", above: own.slice(-depth, -1).join("/") };
  });
  return new Map(paths.map((path, index) => [path, told[index] ?? { name: path, above: "" }]));
}

/** Names for lists of projects: the last folder, with those above it where several have the same. */
export function projectLabels(projects: readonly (string | null)[]): (project: string | null) => string {
  const known = distinguishProjects([...new Set(projects.filter((project) => project !== null))]);
  return (project) => {
    const { name, above } = known.get(project ?? "") ?? { name: projectName(project), above: "" };
    return above === "" ? name : `${name} (${above})`;
  };
}

const DAY_MS = 86_400_000;

/** Today, yesterday, a weekday, else the date. */
export function dayLabel(timestamp: string | null, now = new Date()): string {
  if (timestamp === null) return "Unknown time";
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return "Unknown time";
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return WEEKDAY.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(date);
}

/** Created once: creating one takes longer than rendering a turn. */
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const DAY_AND_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** `just now`, `12 min`, `3 h`, `2 days`: how long ago, or for how long. */
export function agoLabel(timestamp: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(timestamp)) / 60_000);
  if (!(minutes >= 1)) return "just now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  const days = Math.floor(minutes / (24 * 60));
  return days === 1 ? "1 day" : `${days} days`;
}

/** Empty where the time is unknown. */
export function clockLabel(timestamp: string | null): string {
  return timestamp === null ? "" : formatTime(timestamp).slice(-5);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
