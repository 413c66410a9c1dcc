import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { imageFacts } from "../../../../src/agent/tools/files/read-image.js";
import type { ToolCall } from "../../../../src/session/turns/tool-calls.js";
import { makePlace, type Place, startChat } from "../../chat-world.js";

type File = string | Buffer;

/** What Read says of files, each with these parameters. */
async function read(
  files: Readonly<Record<string, File>>,
  wishes: readonly (string | object)[],
  prepare: (place: Place) => void = () => undefined,
): Promise<{ calls: readonly ToolCall[]; sent: string }> {
  const place = makePlace();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place.project, name), content);
  prepare(place);
  const inputs = wishes.map((wish) => (typeof wish === "string" ? { file_path: wish } : wish));
  const blocks = inputs.map((input) => ({ call: "Read", input }));
  const world = await startChat([{ blocks }, { blocks: [{ text: "Done." }] }], { place });
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  expect(world.file.problems).toEqual([]);
  return {
    calls: world.file.session.turns.flatMap(({ toolCalls }) => toolCalls),
    sent: JSON.stringify(world.api.requests.at(-1)?.messages),
  };
}

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff]), frame]);
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from("GIF89a\0\0\0\0", "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function webp(kind: "VP8 " | "VP8L" | "VP8X", from: number, ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.write(`RIFF    WEBP${kind}`, "latin1");
  Buffer.from(values).copy(bytes, from);
  return bytes;
}

test.each([
  ["a PNG", png(3, 5), "image/png"],
  ["a JPEG", jpeg(3, 5), "image/jpeg"],
  ["a GIF", gif(3, 5), "image/gif"],
  ["a lossy WebP", webp("VP8 ", 26, 3, 0, 5, 0), "image/webp"],
  ["a lossless WebP", webp("VP8L", 21, 2, 0, 1, 0), "image/webp"],
  ["an extended WebP", webp("VP8X", 24, 2, 0, 0, 4), "image/webp"],
])("%s is known by its bytes", (_, bytes, mediaType) => {
  expect(imageFacts(bytes)).toEqual({ mediaType, width: 3, height: 5 });
});

test("an image is shown as what it is, and what the API would refuse for ever is not shown", async () => {
  const files = {
    "fine.png": png(3, 5),
    "named-wrong.png": jpeg(3, 5),
    "text.png": "no image",
    "cut.png": png(3, 5).subarray(0, 18),
    "wide.png": png(9_000, 5),
    "none.gif": "",
    "large.jpg": Buffer.concat([jpeg(3, 5), Buffer.alloc(4_000_000)]),
  };
  const { calls, sent } = await read(files, Object.keys(files));
  expect(calls.map(({ status }) => status)).toEqual(["ok", "ok", "error", "error", "error", "error", "error"]);
  expect(calls[1]?.resultData).toMatchObject({ type: "image", file: { type: "image/jpeg" } });
  expect(calls.slice(2).map(({ result }) => result)).toEqual([
    expect.stringContaining("is no PNG, JPEG, GIF or WebP image"),
    expect.stringContaining("is no PNG, JPEG, GIF or WebP image"),
    expect.stringContaining("9000 x 5 pixels"),
    expect.stringContaining("is empty"),
    expect.stringContaining("too large to be shown"),
  ]);
  expect(sent.split('"type":"image"')).toHaveLength(3);
});

test("a notebook is shown with values, errors and what is left out of its pictures", async () => {
  const outputs = [
    { output_type: "stream", text: ["one\n", "two"] },
    { output_type: "execute_result", data: { "text/plain": "a value", "image/png": "AAAA" } },
    { output_type: "error", ename: "ValueError", evalue: "wrong", traceback: ["line 1", "ValueError: wrong"] },
    { output_type: "stream", text: "x".repeat(20_000) },
  ];
  const cells = [
    { cell_type: "markdown", source: "# Title" },
    { cell_type: "code", id: "c1", source: ["print(1)\n", "print(2)"], outputs },
  ];
  const { calls } = await read(
    { "n.ipynb": JSON.stringify({ cells }), "bad.ipynb": "{", "empty.ipynb": '{"cells":[]}' },
    ["n.ipynb", "bad.ipynb", "empty.ipynb"],
  );
  expect(calls[0]?.result).toContain('<cell id="cell-0" type="markdown">\n# Title\n</cell>');
  expect(calls[0]?.result).toContain("print(1)\nprint(2)");
  const told = ["one\ntwo", "a value\n[image/png]", "line 1\nValueError: wrong", "… (10000 more characters)"];
  expect(told.filter((text) => !calls[0]?.result?.includes(text))).toEqual([]);
  expect(calls.slice(1).map(({ result }) => result)).toEqual([
    expect.stringContaining("is not JSON"),
    expect.stringContaining("holds no notebook cells"),
  ]);
});

test("a long file comes in whole lines with a word on how to go on, and the session does not swell by it", async () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `${at + 1} ${"x".repeat(90)}`).join("\n");
  const { calls } = await read({ "long.txt": lines, "wide.json": `[${"1,".repeat(2_000_000)}1]\n` }, [
    "long.txt",
    { file_path: "long.txt", offset: 2_999, limit: 50 },
    "wide.json",
    { file_path: "long.txt", offset: 9_999 },
  ]);
  const [first, end, wide, beyond] = calls;
  const [, last = ""] = /\(Lines 1 to (\d+) of 3000\. Read on with offset \d+\.\)$/.exec(first?.result ?? "") ?? [];
  expect(first?.result).toContain(`\n${last}\t${last} x`);
  expect(first?.resultData).toMatchObject({ file: { numLines: Number(last), totalLines: 3_000 } });
  expect(end?.result).toMatch(/^2999\t2999 x+\n3000\t3000 x+\n\n\(Lines 2999 to 3000 of 3000\.\)$/);
  expect(wide?.result).toContain("… (line cut)");
  expect(wide?.resultData).toMatchObject({ file: { content: "", numLines: 0, totalLines: 2 } });
  expect(beyond?.result).toContain("has only 3000 lines");
});

test("a line that is cut within a character is no request that the API refuses", async () => {
  const { calls, sent } = await read({ "smile.txt": `x${"😀".repeat(1_500)}` }, ["smile.txt"]);
  expect(calls[0]?.status).toBe("ok");
  expect(sent).toContain("😀\uFFFD… (line cut)");
});

test("what cannot be read is told, and nothing hangs on it", async () => {
  const { calls } = await read(
    { "x.bin": "a\0b" },
    ["x.bin", "folder", "none.txt", "loop", "huge.log", "/dev/zero"],
    ({ project }) => {
      mkdirSync(join(project, "folder"));
      symlinkSync("loop", join(project, "loop"));
      writeFileSync(join(project, "huge.log"), "");
      truncateSync(join(project, "huge.log"), 65 * 1024 * 1024);
    },
  );
  expect(calls.map(({ status }) => status)).toEqual(calls.map(() => "error"));
  expect(calls.map(({ result }) => result)).toEqual([
    expect.stringContaining("is a binary file"),
    expect.stringContaining("is a folder"),
    expect.stringContaining("File does not exist"),
    expect.stringContaining("loop"),
    expect.stringContaining("too large to be read"),
    expect.stringContaining("not a regular file"),
  ]);
});

test("of a file that is too large to be held, some lines are read", async () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at + 1}`);
  const input = (offset: number, limit: number) => ({ file_path: "huge.log", offset, limit });
  const { calls } = await read({}, [input(1, 2), input(1_999, 5), input(9_999, 1)], ({ project }) => {
    const path = join(project, "huge.log");
    writeFileSync(path, `\uFEFF${lines.join("\r\n")}\n`);
    truncateSync(path, 65 * 1024 * 1024);
  });
  expect(calls.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  const [first, last, none] = calls.map(({ result }) => String(result));
  expect(first).toBe("1\tline 1\n2\tline 2\n\n(Lines 1 to 2 of 2001.)");
  expect(last).toMatch(
    /^1999\tline 1999\n2000\tline 2000\n2001\t\0{2000}… \(line cut\)\n\n\(Lines 1999 to 2001 of 2001\.\)$/,
  );
  expect(none).toContain("only 2001 lines");
});
