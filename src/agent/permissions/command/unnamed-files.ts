import { gitMayShowFiles } from "./git-contents.js";
import { innerCommands } from "./inner-command.js";
import { isFormatted } from "./known-programs.js";
import { isBuiltinReader, isReader, readCall } from "./read-call.js";
import type { StartedCommand } from "./started-commands.js";
import { programOf } from "./started-programs.js";

/** Programs that print names, numbers and times, never contents. */
const LISTERS =
  /^(?:basename|date|df|dirname|du|hostname|id|ls|nproc|pwd|readlink|realpath|seq|sleep|stat|tr|tree|type|uname|which|whoami)$/;
/** They read the names of files from their input, or search folders by themselves. */
const COLLECTORS = /^(?:cpio|pax|ag|ack|parallel)$/;
/** Programs that copy or pack whole folders. */
const COPIERS = /^(?:cp|rsync|scp|mv|ln|install|dd|zip|7za?|ar|gzip|gunzip|zcat|bzip2|xz|zstd|[ef]grep)$/;
const COLLECTING_OPTION = /^(?:-\w*[rR@T]\w*|--(?:rec|files|der|include|dir).*)$/;
const AWK = /^[gmn]?awk$/;
const TAR = /^(?:bsd)?tar$/;
/** Programs that change the files which they name. */
const CHANGERS =
  /^(?:rm|rmdir|unlink|mv|cp|ln|tee|touch|truncate|dd|install|chmod|chown|chgrp|shred|rsync|patch|ed|sed|perl)$/;
const UNPACKERS = /^(?:(?:bsd)?tar|unzip|cpio|pax|patch|7za?|rsync|gunzip|bunzip2|unxz)$/;
const GIT_KEEPS = /^(?:add|blame|branch|commit|diff|fetch|grep|log|ls-files|ls-tree|push|show|status|tag)$/;
/** Links to the folders and files of the process that opens them. */
const PROCESS = /(?:^|[^\w.-])proc\/|^\/(?:p|\?|\*|\[)\S*[?*[]/;

/** A command, and those that it starts by its arguments. */
export function withInner(command: StartedCommand): readonly StartedCommand[] {
  const inner = innerCommands(command);
  return inner === undefined || inner === "unknown" ? [command] : [command, ...inner.flatMap(withInner)];
}

/** Whether a command may show contents of files that it does not name. `hasFolder`: an argument is a folder. */
export function mayShowUnnamed(command: StartedCommand, hasFolder: () => boolean): boolean {
  const [first = "", ...args] = command.words.map((word) => word ?? "");
  const name = programOf(first);
  const call = readCall(name, args);
  if (("paths" in call ? call.paths : args).some((word) => PROCESS.test(word))) return true;
  if (name === "git") return gitMayShowFiles(args);
  if ("paths" in call) return call.searchesFolders || (call.takesNoFolders && hasFolder());
  const inner = innerCommands(command);
  if (inner !== undefined) return inner === "unknown" || name === "xargs" || name === "find";
  if (AWK.test(name)) return !isFormatted("awk", args);
  if (TAR.test(name)) return !isFormatted("tar", args) || (/c/.test(args[0] ?? "") && hasFolder());
  if (COLLECTORS.test(name)) return true;
  if (COPIERS.test(name)) return hasFolder() || args.some((word) => COLLECTING_OPTION.test(word));
  return isReader(name) && !isPrinter(name) && !LISTERS.test(name) && !isFormatted(name, args);
}

function isPrinter(name: string): boolean {
  return isBuiltinReader(name) && name !== "test" && name !== "[";
}

/** Whether a command changes each file that it names. */
export function changesNamed({ words }: StartedCommand): boolean {
  const [first = "", ...args] = words.map((word) => word ?? "");
  const name = programOf(first);
  return CHANGERS.test(name) && !("paths" in readCall(name, args));
}

/** Whether a command may change files that it names: whatever is not known to only read. */
export function mayChangeNamed({ words }: StartedCommand): boolean {
  const [first = "", ...args] = words.map((word) => word ?? "");
  const name = programOf(first);
  if (name === "git") return !args.some((word) => GIT_KEEPS.test(word));
  return !isPrinter(name) && !LISTERS.test(name) && !/^(?:cd|pushd)$/.test(name) && !("paths" in readCall(name, args));
}

/** Whether a command may change files that it does not name. */
export function mayChangeUnnamed(command: StartedCommand, hasFolder: () => boolean): boolean {
  const [first = "", ...args] = command.words.map((word) => word ?? "");
  const name = programOf(first);
  if ("paths" in readCall(name, args)) return false;
  const inner = innerCommands(command);
  if (inner !== undefined) return inner === "unknown" || name === "xargs" || name === "find";
  if (name === "git") return args.some((word) => /^(?:apply|am|checkout-index)$/.test(word));
  if (AWK.test(name)) return !isFormatted("awk", args) || args.some((word) => word.includes(">"));
  if (name === "sed") return !isFormatted("sed", args);
  return name === "find" || UNPACKERS.test(name) || (CHANGERS.test(name) && hasFolder());
}
