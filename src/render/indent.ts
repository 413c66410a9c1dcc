/** The first line after a sign, the others below its text; blank lines stay blank. */
export function indent(text: string, sign: string, others = " ".repeat(sign.length)): string {
  return text
    .split("\n")
    .map((line, at) => (line === "" ? "" : (at === 0 ? sign : others) + line))
    .join("\n");
}

/** Without blank lines around it. The first line keeps its own indentation, to which the next ones are aligned. */
export function trimBlankLines(text: string): string {
  return text.replace(/^([^\S\n]*\n)+/, "").trimEnd();
}
