import { lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { readArguments } from "../command/read-arguments.js";
import type { Reader } from "../command/readers.js";
import { type Effects, effects, effectsIn, resolveNamed } from "./effects.js";

/** How a program is called that changes exactly the files which its arguments name. */
interface Writer extends Reader {
  /** With one of these options everything below a folder, too. */
  readonly recurses?: string;
}

/**
 * Left out on purpose, as in the table of readers: options that follow links, keep copies under other names, take files from elsewhere
 * or name their target in another place.
 */
const WRITERS: Readonly<Record<string, Writer>> = {
  chgrp: { flags: "cfvR", long: "recursive verbose", first: "word", operands: "path", recurses: "R recursive" },
  chmod: { flags: "cfvR", long: "recursive verbose", first: "word", operands: "path", recurses: "R recursive" },
  chown: { flags: "cfvR", long: "recursive verbose", first: "word", operands: "path", recurses: "R recursive" },
  mkdir: { flags: "pv", long: "parents verbose", values: { word: "m mode" }, operands: "path" },
  rm: {
    flags: "dfiIrRv",
    long: "dir force recursive verbose",
    operands: "path",
    recurses: "r R recursive",
  },
  rmdir: { flags: "pv", long: "parents verbose ignore-fail-on-non-empty", operands: "path" },
  tee: { flags: "ai", long: "append ignore-interrupts", operands: "path" },
  touch: { flags: "acm", long: "no-create", values: { date: "d t date", path: "r reference" }, operands: "path" },
  truncate: { flags: "c", long: "no-create", values: { number: "s size" }, operands: "path" },
  unlink: { operands: "path", maxOperands: 1 },
};

const CP: Reader = {
  flags: "adfinPprRuv",
  long: "archive force interactive no-clobber no-dereference preserve recursive update verbose",
  glued: { word: "preserve" },
  operands: "path",
  hasOptionsFirst: true,
};
const MV: Reader = {
  flags: "finuv",
  long: "force interactive no-clobber update verbose",
  operands: "path",
  hasOptionsFirst: true,
};
const LN: Reader = {
  flags: "fnsv",
  long: "force no-dereference symbolic verbose",
  operands: "path",
  hasOptionsFirst: true,
};

/** Where a command runs, and whether no other one of the line makes files. */
export interface WriterPlace {
  readonly folder: string;
  readonly isAlone: boolean;
}

export function isWriter(name: string): boolean {
  return Object.hasOwn(WRITERS, name) || /^(?:cp|mv|ln)$/.test(name);
}

/** What a call of a writing program does; undefined: it is not in the table. */
export function readWriter(name: string, args: readonly string[], place: WriterPlace): Effects | undefined {
  const { folder } = place;
  if (name === "cp" || name === "mv") {
    const call = readArguments(args, name === "cp" ? CP : MV);
    return "problem" in call || call.paths.length < 2 ? undefined : copyFiles(call.paths, place, name === "mv");
  }
  if (name === "ln") return readLink(args, folder);
  const writer = Object.hasOwn(WRITERS, name) ? WRITERS[name] : undefined;
  const call = writer ? readArguments(args, writer) : undefined;
  if (!call || "problem" in call) return undefined;
  const found = effectsIn(folder, { reads: call.paths, writes: call.paths });
  const isDeep = writer?.recurses?.split(" ").some((option) => call.options?.has(option)) ?? false;
  return isDeep ? { ...found, writesBelow: found.writes.map((path) => ({ folder: path, as: path })) } : found;
}

/** What a copy or move of files to the last path does. Where that is a folder, the names move into it. */
export function copyFiles(paths: readonly string[], { folder, isAlone }: WriterPlace, isMove: boolean): Effects {
  const target = resolveNamed(folder, paths.at(-1) ?? "");
  const sources = paths.slice(0, -1).map((path) => resolveNamed(folder, path));
  const pairs = sources.flatMap((from) => {
    const inside = resolveNamed(target, basename(from));
    // An earlier command of the line may make or remove the folder; of a folder, only the contents may be copied (`cp -r a/. b`).
    const targets = isAlone && !isFolder(from) ? [isFolder(target) ? inside : target] : [target, inside];
    return targets.map((to) => ({ from, to }));
  });
  const below = pairs.filter(({ from }) => isFolder(from));
  return effects({
    reads: [...sources, target],
    writes: [...pairs.map(({ to }) => to), ...(isMove ? sources : [])],
    readsBelow: below.map(({ from }) => from),
    writesBelow: below.flatMap(({ from, to }) => [
      { folder: from, as: to },
      ...(isMove ? [{ folder: from, as: from }] : []),
    ]),
    // A folder may contain links, and what had a name in it has another one now.
    makesNames: sources.some((from) => !isPlainFile(from)),
  });
}

/** The target of a symbolic link is relative to the link. */
function readLink(args: readonly string[], folder: string): Effects | undefined {
  const call = readArguments(args, LN);
  if ("problem" in call || call.paths.length === 0) return undefined;
  const [first = "", ...rest] = call.paths;
  const last = resolveNamed(folder, rest.at(-1) ?? basename(first));
  const targets = rest.length === 0 ? [first] : call.paths.slice(0, -1);
  return effects({
    reads: targets.flatMap((path) => [folder, dirname(last), last].map((from) => resolveNamed(from, path))),
    writes: [last, ...targets.map((path) => resolveNamed(last, basename(path)))],
    makesNames: true,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // the program cannot enter it either
  }
}

/** A file that does not exist yet is made by another command, which is judged itself. */
function isPlainFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  } catch {
    return false; // in a folder that may not be entered
  }
}
