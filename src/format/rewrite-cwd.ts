import { listMembers, replaceStretches } from "./object-members.js";
import { readString } from "./scan-json.js";

/** The bytes of a record with its working directory, if it is `from` or lies below it, in `to` instead. */
export function rewriteCwd(bytes: Buffer, from: string, to: string): Buffer {
  const replacements = listMembers(bytes)
    .filter(({ key }) => key === "cwd")
    .flatMap(({ start, end }) => {
      const cwd = readString(bytes, start, end) ?? "";
      const isInside = cwd === from || (cwd.startsWith(from) && /^[/\\]/.test(cwd.slice(from.length)));
      return isInside ? [{ start, end, text: JSON.stringify(to + cwd.slice(from.length)) }] : [];
    });
  return replaceStretches(bytes, replacements);
}
