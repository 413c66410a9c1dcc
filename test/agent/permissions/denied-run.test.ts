import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runs.js";
import { deniedLines } from "./denied-command.js";
import { DENIED, type DeniedKind, DeniedWorld } from "./denied-world.js";

const world = new DeniedWorld();

/** Judges and runs lines one after the other; how many passed, and what broke the rule. */
function runLines(lines: readonly string[], kind: DeniedKind) {
  world.reset();
  const passed = lines.filter((line) => world.passes(line, kind));
  return { passed: passed.length, offences: passed.flatMap((line) => world.run(line, kind)) };
}

test("the watcher sees a started program, a printed or copied file and a changed one", () => {
  const broken = (line: string, kind: DeniedKind) => {
    world.reset();
    return world.run(line, kind).length > 0;
  };
  expect([broken("env rm f", "program"), broken("ls f", "program")]).toEqual([true, false]);
  expect(["cat .env", "cp .env x", "git show HEAD:.env", "cat list"].map((line) => broken(line, "reading"))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(["echo x > list", "touch src/list", "cat list"].map((line) => broken(line, "changing"))).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(Object.entries(DENIED))(
  "what passes a rule against a %s (%s) does not break it when it is run",
  (name, _) => {
    const kind = name as DeniedKind;
    let count = 0;
    fc.assert(
      fc.property(deniedLines, (lines) => {
        const { passed, offences } = runLines(lines, kind);
        count += passed;
        expect(offences).toEqual([]);
      }),
      runs(60),
    );
    expect(count).toBeGreaterThan(10);
  },
  3_600_000,
);
