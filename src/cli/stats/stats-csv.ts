/** RFC 4180: quoted where a comma, a quote or a line break needs it, lines end in CR LF. */
export function toCsv(rows: readonly Readonly<Record<string, string | number | null>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => quote(row[column] ?? null)));
  return [columns.map(quote), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula is marked as text. */
function quote(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
