import { readArguments } from "../command/read-arguments.js";
import { readCall } from "../command/read-call.js";
import type { Reader } from "../command/readers.js";
import { type Effects, effectsIn } from "./effects.js";

/** Programs with arguments of a form of their own. Undefined: it is not understood. */
export const FILE_FORMS: ReadonlyMap<string, (args: readonly string[], folder: string) => Effects | undefined> =
  new Map([
    ["awk", readAwk],
    ["gawk", readAwk],
    ["mawk", readAwk],
    ["curl", readCurl],
    ["dd", readDd],
    ["sed", readSedInPlace],
    ["tar", readTar],
  ]);

/** `sed -i` with a plain script. BSD's takes the next word for the ending of the copy that it keeps. */
function readSedInPlace(args: readonly string[], folder: string): Effects | undefined {
  const at = args.findIndex((word) => /^(?:-i(?:\.\w+)?|--in-place(?:=\.\w+)?)$/.test(word));
  if (at < 0) return undefined;
  const isBsd = process.platform === "darwin" && args[at] === "-i";
  if (isBsd && !/^(?:\.\w+)?$/.test(args[at + 1] ?? "-")) return undefined;
  const call = readCall("sed", [...args.slice(0, at), ...args.slice(at + (isBsd ? 2 : 1))]);
  if ("problem" in call) return undefined;
  const ending = isBsd ? (args[at + 1] ?? "") : (/\.\w+$/.exec(args[at] ?? "")?.[0] ?? "");
  const kept = ending === "" ? [] : call.paths.map((path) => path + ending);
  return effectsIn(folder, { reads: call.paths, writes: [...call.paths, ...kept] });
}

/** What the readers accept as a program: it opens no other files and starts nothing, in any awk. */
function readAwk(args: readonly string[], folder: string): Effects | undefined {
  const call = readCall("awk", args);
  return "problem" in call ? undefined : effectsIn(folder, { reads: call.paths });
}

/** `tar xzf a.tgz [-C folder] [members]`. An archive with a colon is on another host. */
function readTar(args: readonly string[], folder: string): Effects | undefined {
  const [letters = "", archive, ...rest] = args;
  if (!/^-?(?=[kpvjJzf]*[ctx][kpvjJzf]*$)[a-zJ]*f$/.test(letters) || archive === undefined) return undefined;
  if (/:/.test(archive) || archive.startsWith("-")) return undefined;
  const isMoved = rest[0] === "-C";
  const members = isMoved ? rest.slice(2) : rest;
  const place = isMoved ? rest[1] : ".";
  if (place === undefined || members.some((word) => word.startsWith("-"))) return undefined;
  const inPlace = (path: string) => `${place}/${path}`;
  if (letters.includes("x"))
    return effectsIn(folder, { reads: [archive, place], writes: [place], writesUnnamed: true, makesNames: true });
  if (letters.includes("t")) return effectsIn(folder, { reads: [archive] });
  const files = members.map((path) => (path.startsWith("/") ? path : inPlace(path)));
  return effectsIn(folder, { reads: files, readsBelow: files, writes: [archive] });
}

/** `if=… of=…` */
function readDd(args: readonly string[], folder: string): Effects | undefined {
  const isKnown = (word: string) =>
    /^(?:if|of)=/.test(word) || /^(?:bs|count|skip|seek|conv|status|ibs|obs)=[\w,]+$/.test(word);
  if (!args.every(isKnown)) return undefined;
  const named = (name: string) =>
    args.flatMap((word) => (word.startsWith(`${name}=`) ? word.slice(name.length + 1) : []));
  return effectsIn(folder, { reads: [...named("if"), ...named("of")], writes: named("of") });
}

const CURL: Reader = {
  flags: "fgiIkLsSvG",
  long: "compressed fail get head include insecure location no-progress-meter show-error silent verbose",
  values: {
    word: "X request m max-time retry connect-timeout",
    text: "H header d data data-raw data-binary A user-agent u user e referer w write-out F form",
    path: "o output",
  },
};
const ADDRESS = /^https?:\/\/[\w.:/?&=%+~#,-]*$/;
/** Data, headers and forms may come from a file (`@name`, `<name`), and a format may write one (`%output{name}`). */
const CURL_TEXT = /^(?:[^@<%]|%\{\w+\})*$/;

/** A request by HTTP: what stands in front of the address and behind it are complete options. */
function readCurl(args: readonly string[], folder: string): Effects | undefined {
  const at = args.findIndex((word) => ADDRESS.test(word));
  const parts = [args.slice(0, Math.max(at, 0)), args.slice(at + 1)];
  const calls = parts.map((words) => readArguments(words, CURL));
  const paths = calls.flatMap((call) => ("paths" in call ? call.paths : []));
  const isPlain = at >= 0 && parts.flat().every((word) => CURL_TEXT.test(word));
  return isPlain && calls.every((call) => "paths" in call)
    ? effectsIn(folder, { writes: paths, reads: paths })
    : undefined;
}
