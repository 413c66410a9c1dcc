/** Without blank lines around it. The first line keeps its own indentation, to which the next ones are aligned. */
export function trimBlankLines(text: string): string {
  return text.replace(/^([^\S\n]*\n)+/, "").trimEnd();
}
