import { deflateSync } from "node:zlib";

const HEAD = "%PDF-1.4\n";

/** A PDF of one font, with a page for each content stream. */
export function pdfOf(contents: readonly string[]): Buffer {
  const kids = contents.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  return pdfFrom([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...contents.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      streamOf(content),
    ]),
  ]);
}

/** What writes lines of text on a page. */
export function pdfLines(...lines: readonly string[]): string {
  return `BT /F1 12 Tf 72 720 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(" ")} ET`;
}

/** A file of these objects, the first of them its root. */
export function pdfFrom(objects: readonly string[]): Buffer {
  const bodies = objects.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`);
  const offsets = bodies.map((_, at) => HEAD.length + bodies.slice(0, at).join("").length);
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const body = HEAD + bodies.join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + end, "latin1");
}

function streamOf(content: string): string {
  const packed = deflateSync(content).toString("latin1");
  return `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`;
}
