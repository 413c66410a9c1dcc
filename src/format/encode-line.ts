/**
 * The bytes of one line with its newline. Text is taken as it is, so that a line can be copied; a lone surrogate has no
 * UTF-8 form and is written as its JSON escape, which means the same.
 */
export function encodeLine(record: object | string): Buffer {
  const text = typeof record === "string" ? record.replace(/\p{Surrogate}/gu, toEscape) : JSON.stringify(record);
  if (text === undefined) throw new TypeError("a record that has no JSON form cannot be appended");
  if (text === "") throw new TypeError("an empty line cannot be appended");
  if (text.includes("\n")) throw new TypeError("a line with a newline in it cannot be appended");
  return Buffer.from(`${text}\n`);
}

function toEscape(surrogate: string): string {
  return `\\u${surrogate.charCodeAt(0).toString(16)}`;
}
