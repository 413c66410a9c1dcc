import fc from "fast-check";
import { expect, test } from "vitest";
import { createScreen, type Screen } from "../../../src/render/cast/screen.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { runs } from "../../runs.js";
import { replay } from "./replay.js";

const COLUMNS = 12;
const ROWS = 4;

const textOf = ({ lines }: Screen) =>
  lines.map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );

test("the screen of videos shows what a real terminal shows", async () => {
  const pieces = [
    "a",
    "word",
    "文",
    "é",
    " ",
    "\r\n",
    "\r\u001b[K",
    "\u001b[1m",
    "\u001b[22m",
    "\u001b[36mx\u001b[39m",
    "│ ",
    "✓",
  ];
  const property = fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (written) => {
    const screen = createScreen(COLUMNS, ROWS);
    screen.write(written.join(""));
    expect(textOf(screen)).toEqual((await replay(written.join(""), COLUMNS, ROWS)).slice(-ROWS));
  });
  await fc.assert(property, runs(300));
});

test("it knows every style that we print", () => {
  const style = createStyle(true);
  const screen = createScreen(COLUMNS, ROWS);
  screen.write(
    `${style.bold("b")}${style.dim("d")}${style.red("r")}${style.green("g")}${style.yellow("y")}${style.cyan("c")}${style.blue("u")}${style.magenta("m")}${style.italic("p")}`,
  );
  const cells = screen.lines[0]?.slice(0, 9).map(({ text, colour, bold, dim }) => ({ text, colour, bold, dim }));
  const plain = { colour: "plain", bold: false, dim: false };
  expect(cells).toEqual([
    { ...plain, text: "b", bold: true },
    { ...plain, text: "d", dim: true },
    { ...plain, text: "r", colour: "red" },
    { ...plain, text: "g", colour: "green" },
    { ...plain, text: "y", colour: "yellow" },
    { ...plain, text: "c", colour: "cyan" },
    { ...plain, text: "u", colour: "blue" },
    { ...plain, text: "m", colour: "magenta" },
    { ...plain, text: "p" },
  ]);
});
