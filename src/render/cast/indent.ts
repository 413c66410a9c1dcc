/** The first line after a sign, the others below its text; blank lines stay blank. */
export function indent(text: string, sign: string, others = " ".repeat(sign.length)): string {
  return text
    .split("\n")
    .map((line, at) => (line === "" ? "" : (at === 0 ? sign : others) + line))
    .join("\n");
}
