export function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
