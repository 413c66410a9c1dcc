import { expect, test } from "vitest";
import { ChatScreen } from "../../../src/cli/chat/chat-screen.js";
import { createRedactor, type Redactor } from "../../../src/redact/create-redactor.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { namedSecrets } from "../../redact/named-secrets.js";
import { TEXT_PLACES } from "../../redact/places.js";
import { issuedSecrets } from "../../redact/planted-secrets.js";

/** What the terminal was given after each character of the text, and in the end. */
function stream(
  text: string,
  redactor: Redactor = createRedactor({ level: "mask" }),
): { readonly steps: readonly string[]; readonly end: string } {
  const pieces: string[] = [];
  const terminal = { columns: 80, isBusy: false, tell: (piece: string) => void pieces.push(piece), hint: () => {} };
  const screen = new ChatScreen(terminal, { style: createStyle(false), redactor, folder: "/work" });
  const steps = [...text].map((character) => {
    screen.hear({ kind: "text-delta", index: 0, text: character, agent: null });
    return pieces.join("");
  });
  screen.endLine();
  return { steps, end: pieces.join("") };
}

test("rows end between words, whatever is still to come; what is wider than a row is broken", () => {
  const long = `${"word ".repeat(15)}longer ${"x".repeat(90)} これはとても長い日本語の文章です。`;
  const rows = [
    "word word word word word word word word word word word word word word word",
    "longer",
    "x".repeat(80),
    `${"x".repeat(10)} これはとても長い日本語の文章です。`,
  ];
  const { steps, end } = stream(long);
  expect(end).toBe(`${rows.join("\n")}\n`);
  expect(steps.filter((step) => !end.startsWith(step))).toEqual([]);
});

const beforeEnd = (text: string) => stream(text).steps.at(-1);

test("words are shown as they come, before their line ends", () => {
  expect(stream("One two\nthr").steps).toEqual([
    ...["", "", "", "One", "One", "One", "One", "One two\n"],
    ...["One two\n", "One two\n", "One two\n"],
  ]);
  expect(beforeEnd("It's fine, isn't it? Ye")).toBe("It's fine, isn't it?");
  expect(beforeEnd('He said "never mind." and le')).toBe('He said "never mind." and');
  expect(beforeEnd("これはテスト")).toBe("これはテスト");
});

test("what is in quotes, and what follows a secret, waits for its end", () => {
  expect(beforeEnd('Set password = "correct horse ba')).toBe("Set password =");
  expect(beforeEnd(`The key ghp_${"a1B2".repeat(9)} is old`)).toBe("The key");
});

const planted = [
  ...issuedSecrets(1).flatMap(({ secret }) => Object.values(TEXT_PLACES).map((put) => ({ text: put(secret), secret }))),
  ...namedSecrets(1),
];

test("no secret is ever shown that would be hidden in the whole line, and nothing is taken back", () => {
  // A redactor remembers what it found, and each line must be hidden by itself.
  const isHidden = (line: string, secret: string) => !createRedactor({ level: "mask" }).text(line).includes(secret);
  const hidden = planted.filter(({ text, secret }) => text.split("\n").every((line) => isHidden(line, secret)));
  expect(hidden.length).toBeGreaterThan(1_000);
  const streamed = hidden.map(({ text, secret }) => ({ secret, end: stream(text).end }));
  expect(streamed.filter(({ end, secret }) => end.includes(secret))).toEqual([]);
  expect(streamed.filter(({ end }) => end.includes("\u001b[J"))).toEqual([]);
});

test("where the end of a line changes what its beginning hides, the line is painted again", () => {
  const late: Redactor = {
    ...createRedactor({ level: "mask" }),
    text: (text) => (text.endsWith("end") ? "hidden" : text),
  };
  expect(stream("a begin\n", late).end).toBe("a begin\n");
  expect(stream("the end", late).end).toBe("the\r\u001b[Jhidden\n");
  expect(stream(`${"word ".repeat(40)}end`, late).end).toMatch(/word\r\u001b\[2A\u001b\[Jhidden\n$/);
});
