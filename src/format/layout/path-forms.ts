import { posix, win32 } from "node:path";

/** `~` alone or before a separator; `~name` is another user's home and stays as it is. */
export function expandHome(path: string, home: string): string {
  const startsAtHome = path === "~" || path.startsWith("~/") || (isWindowsPath(home) && path.startsWith("~\\"));
  return startsAtHome ? home.replace(/[\\/]+$/, "") + path.slice(1) : path;
}

/** Absolute on any system, whichever this one is: `/x`, `C:\x`, `\\server\x`, `\\?\C:\x`, `\\wsl$\x`. */
export function isAbsoluteAnywhere(path: string): boolean {
  return path.startsWith("/") || isWindowsPath(path);
}

/**
 * The last part of a path that may come from another system. A backslash separates unless the path is absolute in the
 * POSIX way, where it may be part of a name. Empty for a root.
 */
export function fileNameOf(path: string): string {
  const separator = path.startsWith("/") ? /\/+/ : /[\\/]+/;
  const parts = path.replace(/^[A-Za-z]:/, "").split(separator);
  return parts.findLast((part) => part !== "") ?? "";
}

/** True for a name that cannot lead out of the folder it is joined to, on any system. */
export function isPlainFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[\\/\0]/.test(name);
}

/** Whether two spellings name one place, by their text alone: links and `/mnt/c` are not resolved. */
export function samePath(a: string, b: string, platform: NodeJS.Platform): boolean {
  return comparable(a, platform) === comparable(b, platform);
}

/** Where WSL sees a Windows path: `C:\x` is `/mnt/c/x`, `\\wsl$\Debian\x` is `/x`. Undefined for what has no place there. */
export function toWslPath(path: string): string | undefined {
  const windows = withoutLongPathPrefix(path);
  const drive = /^([A-Za-z]):(?:[\\/](.*))?$/s.exec(windows);
  if (drive) return joinParts(`/mnt/${drive[1]?.toLowerCase()}`, drive[2] ?? "", "/");
  const share = /^[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(.*)$/is.exec(windows);
  return share ? joinParts("", share[1] ?? "", "/") || "/" : undefined;
}

/** Where Windows sees a mounted drive of WSL: `/mnt/c/x` is `C:\x`. Undefined for every other path. */
export function fromWslPath(path: string): string | undefined {
  const mount = /^\/mnt\/([A-Za-z])(?:\/(.*))?$/s.exec(path);
  if (!mount) return undefined;
  const drive = `${mount[1]?.toUpperCase()}:`;
  const inside = joinParts(drive, mount[2] ?? "", "\\");
  return inside === drive ? `${drive}\\` : inside;
}

/** By its form: a drive with a separator, or a network name. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

function comparable(path: string, platform: NodeJS.Platform): string {
  if (platform !== "win32") return withoutTrailing(posix.normalize(path), "/");
  return withoutTrailing(win32.normalize(withoutLongPathPrefix(path)), "\\").toLowerCase();
}

/** A root stays a root: `/` and `C:\` keep their separator. */
function withoutTrailing(path: string, separator: string): string {
  const isRoot = path === separator || /^[A-Za-z]:\\$/.test(path);
  return !isRoot && path.endsWith(separator) ? path.slice(0, -1) : path;
}

/** `\\?\C:\x` is `C:\x` and `\\?\UNC\server\x` is `\\server\x`, without the limit of 260 characters. */
function withoutLongPathPrefix(path: string): string {
  return path.replace(/^\\\\\?\\UNC\\/i, "\\\\").replace(/^\\\\\?\\/, "");
}

function joinParts(start: string, rest: string, separator: string): string {
  const parts = rest.split(separator === "/" ? /[\\/]+/ : "/").filter((part) => part !== "");
  return [start, ...parts].join(separator);
}
