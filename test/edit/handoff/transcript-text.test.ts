import { expect, test } from "vitest";
import { transcriptText } from "../../../src/edit/handoff/transcript-text.js";
import { answer, call, type Draft, prompt, result, understand } from "../../builders/session-builder.js";

const asIs = (text: string) => text;
const textOf = (drafts: readonly Draft[], most: number, clean = asIs) =>
  transcriptText(understand(drafts).turns, clean, most);

const turn = (at: number): readonly Draft[] => [
  prompt(`request ${at}`),
  call(`c${at}`, "Bash", { command: `make part${at}` }),
  result(`c${at}`, `built ${at} ${"line ".repeat(300)}`),
  answer(`answer ${at} ${"word ".repeat(100)}`),
];

const LONG = understand(Array.from({ length: 200 }, (_, at) => turn(at + 1)).flat()).turns;

test("a short session is told whole, in its order", () => {
  const { text, shortened, leftOut } = textOf(turn(1), 10_000);
  expect(text).toMatch(
    /^Turn 1\nUser: request 1\nTool: Bash .*make part1.*\nResult \(ok\): built 1 .*\nAssistant: answer 1 /s,
  );
  expect({ shortened, leftOut }).toEqual({ shortened: 0, leftOut: 0 });
});

test.each([5000, 50_000, 100_000])(
  "of a long session no more than %s characters are told, the last turn in full",
  (most) => {
    const { text, turns, shortened, leftOut } = transcriptText(LONG, asIs, most);
    expect(text.length).toBeLessThanOrEqual(most);
    expect(text.length).toBeGreaterThan(most * 0.7);
    expect(text).toMatch(/^Turn 1\nUser: request 1\n/);
    expect(text).toContain("make part200");
    expect(shortened).toBeGreaterThan(0);
    expect(turns + leftOut).toBe(200);
  },
);

test("the place of turns that were left out is told", () => {
  const { text, leftOut } = transcriptText(LONG, asIs, 5000);
  expect(text).toContain(`Turn 1\nUser: request 1`);
  expect(text).toContain(`[${leftOut} turns left out]\n\nTurn ${leftOut + 2}\n`);
});

test("one turn that is longer than everything is cut", () => {
  const { text } = textOf([prompt("p ".repeat(50_000)), answer("end")], 3000);
  expect(text.length).toBeLessThanOrEqual(3000);
  expect(text).toContain("Assistant: end");
});

test("texts are cleaned before they are cut, so that no part of a secret is left", () => {
  const secret = "SECRETSECRETSECRET";
  const drafts = [
    prompt("go"),
    call("a", "Bash", { command: "env" }),
    result("a", `${"x".repeat(960)}${secret}${"y".repeat(9000)}`),
  ];
  expect(textOf(drafts, 9000, (text) => text.replaceAll(secret, "[gone]")).text).not.toContain("SECRET");
});
