import { formatCount } from "../../render/format-values.js";

/** The first line that says something, cut to a length. */
export function oneLine(text: string, length: number): string {
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const cut = first.length > length ? `${first.slice(0, length)}…` : first;
  return more.length > 0 ? `${cut} (+${formatCount(more.length, "line")})` : cut;
}
