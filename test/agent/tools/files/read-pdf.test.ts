import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPdfText } from "../../../../src/agent/tools/files/read-pdf.js";
import type { ToolCall } from "../../../../src/session/turns/tool-calls.js";
import { pdfFrom, pdfLines, pdfOf } from "../../../builders/pdf-bytes.js";
import { makePlace, startChat } from "../../chat-world.js";

/** What Read says of a file, for each of these wishes. */
async function readPdf(bytes: Buffer, ...wishes: readonly object[]): Promise<readonly ToolCall[]> {
  const place = makePlace();
  writeFileSync(join(place.project, "d.pdf"), bytes);
  const calls = wishes.map((wish) => ({ call: "Read", input: { file_path: "d.pdf", ...wish } }));
  const world = await startChat([{ blocks: calls }, { blocks: [{ text: "Done." }] }], { place });
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  expect(world.file.problems).toEqual([]);
  return world.file.session.turns.flatMap(({ toolCalls }) => toolCalls);
}

const PICTURE = "0 0 1 rg 0 0 100 100 re f";

test("Read gives the text of a PDF as numbered lines, page by page", async () => {
  const [whole, pages, lines, none, wrong] = await readPdf(
    pdfOf([pdfLines("Chapter one", "It begins."), PICTURE, pdfLines("The end.")]),
    {},
    { pages: "2-3" },
    { offset: 2, limit: 2 },
    { pages: "7" },
    { pages: "all" },
  );
  expect(whole?.result).toBe(
    "1\t[page 1 of 3]\n2\tChapter one\n3\tIt begins.\n4\t\n5\t[page 2 of 3]\n6\t(no text)\n7\t\n8\t[page 3 of 3]\n9\tThe end.",
  );
  expect(whole?.resultData).toMatchObject({ type: "text", file: { numLines: 9, totalLines: 9 } });
  expect(pages?.result).toBe("1\t[page 2 of 3]\n2\t(no text)\n3\t\n4\t[page 3 of 3]\n5\tThe end.");
  expect(lines?.result).toBe("2\tChapter one\n3\tIt begins.\n\n(Lines 2 to 3 of 9.)");
  expect(none?.result).toContain("has only 3 pages; there is no page 7");
  expect(wrong?.result).toContain('pages: "all" names no pages');
});

test("a PDF of pictures alone is shown to the model as it is", async () => {
  const bytes = pdfOf([PICTURE]);
  const [call] = await readPdf(bytes, {});
  expect(call?.resultData).toMatchObject({ type: "pdf", file: { base64: bytes.toString("base64") } });
});

test.each([
  ["cut off", pdfOf([pdfLines("Hello")]).subarray(0, 40)],
  ["none at all", Buffer.from("%PDF-1.7\nnothing of the kind\n")],
  ["of pages that hold themselves", pdfFrom(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Kids [2 0 R] /Count 9999 >>"])],
])("a PDF that is %s is told of in one line", async (_, bytes) => {
  const [call] = await readPdf(bytes, {});
  expect(call).toMatchObject({ status: "error" });
  expect(call?.result).toMatch(/^\S+d\.pdf cannot be read as a PDF file: [^\n]+$/);
});

test("a PDF that keeps its reader busy is given up when the turn is interrupted", async () => {
  const endless = pdfOf([pdfLines("x").repeat(400_000)]);
  const reading = readPdfText(endless, { first: 1, last: 1 }, AbortSignal.timeout(300));
  await expect(reading).rejects.toThrow("interrupted");
});

const READER = { first: 1, last: 1 };

test("a small PDF that unpacks to far more than memory should hold is given up", async () => {
  const bomb = pdfOf([" ".repeat(256 * 1024 * 1024)]);
  expect(bomb.length).toBeLessThan(300_000);
  const limits = { ms: 60_000, growthBytes: 64 * 1024 * 1024 };
  const reading = readPdfText(bomb, READER, new AbortController().signal, limits);
  await expect(reading).rejects.toThrow("it takes too much memory");
});

test("a small PDF that would draw for ever is given up", async () => {
  const form = (content: string, next: number) =>
    `<< /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /A ${next} 0 R >> >> /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const forms = Array.from({ length: 40 }, (_, at) => form("/A Do /A Do /A Do", at + 5));
  const bomb = pdfFrom([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /XObject << /A 5 0 R >> >> /Contents 4 0 R >>",
    ...forms,
    form(pdfLines("x"), 5),
  ]);
  const limits = { ms: 500, growthBytes: Number.POSITIVE_INFINITY };
  const reading = readPdfText(bomb, READER, new AbortController().signal, limits);
  await expect(reading).rejects.toThrow("it takes more than 0.5 s");
});
