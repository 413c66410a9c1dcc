import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contrast, type Oklch } from "./contrast.js";

const css = readFileSync(join(import.meta.dirname, "../../../src/render/html/styles/theme.css"), "utf8");
const COLOUR = String.raw`oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`;
const TOKEN = new RegExp(String.raw`--([\w-]+): light-dark\(${COLOUR}, ${COLOUR}\);`, "g");

const tokens = new Map(
  [...css.matchAll(TOKEN)].map(([, name = "", ...numbers]) => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers.map(Number);
    return [name, { light: [a, b, c] as Oklch, dark: [d, e, f] as Oklch }];
  }),
);

const CODE = [...tokens.keys()].filter((name) => name.startsWith("code-"));
const WORDS = ["ink", "muted", "accent", "failed", "running"];

/** Which colours stand on which. */
const TEXT: readonly (readonly [text: string, ground: string])[] = [
  ...["paper", "raised", "floating"].flatMap((ground) => WORDS.map((text) => [text, ground] as const)),
  ...["raised", "added-wash", "removed-wash"].flatMap((ground) => CODE.map((text) => [text, ground] as const)),
  ["ink", "hit"],
  ["ink", "hit-now"],
  ["ink", "added-wash"],
  ["ink", "removed-wash"],
  ["accent", "accent-wash"],
  ["added", "added-wash"],
  ["added", "paper"],
  ["removed", "removed-wash"],
  ["removed", "paper"],
];
const MARKS = ["ok", "failed", "running", "accent", "edge"].flatMap((mark) =>
  ["paper", "raised"].map((ground) => [mark, ground] as const),
);

function ratio(front: string, ground: string, theme: "light" | "dark"): number {
  const [a, b] = [tokens.get(front), tokens.get(ground)];
  return a && b ? contrast(a[theme], b[theme]) : 0;
}

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test.each(TEXT)("text in %s can be read on %s", (text, ground) => {
    expect(ratio(text, ground, theme)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(MARKS)("marks in %s can be seen on %s", (mark, ground) => {
    expect(ratio(mark, ground, theme)).toBeGreaterThanOrEqual(3);
  });
});

test("black on white has a contrast of 21", () => {
  expect(contrast([0, 0, 0], [1, 0, 0])).toBeCloseTo(21, 1);
});

const read = (folder: string) => {
  const path = join(import.meta.dirname, "../../../src", folder);
  const names = readdirSync(path).filter((name) => name !== "theme.css");
  return names.map((name) => readFileSync(join(path, name), "utf8")).join("\n");
};

test.each(["render/html/styles", "web/styles"])("no style of %s names a colour of its own", (folder) => {
  expect(read(folder).match(/#[0-9a-f]{3,8}\b(?=[; ])|rgb\(|oklch\((?!0 0 0 \/)/g)).toBeNull();
});

test("a class means one thing, whether the page or a component that exports share gave it a look", () => {
  const shared = new Set(read("render/html/styles").match(/\.[a-z][\w-]*/g));
  const own = read("web/styles").match(/^\.[a-z][\w-]*(?=,?$| \{$)/gm) ?? [];
  expect(own.filter((name) => shared.has(name))).toEqual([]);
});
