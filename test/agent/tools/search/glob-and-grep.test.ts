import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, callAll, callsOf } from "../../call-all.js";
import { makePlace } from "../../chat-world.js";

const FILES = {
  "app/(shop)/[id]/page.tsx": "needle",
  "app/(shop)/cart.tsx": "needle",
  "lib/a.ts": "needle",
  "lib/b.js": "needle",
  "lib/c.md": "needle",
};

test.each([
  [{ pattern: "*.tsx", path: "app/(shop)" }, ["app/(shop)/cart.tsx"]],
  [{ pattern: "*.tsx", path: "app/(shop)/[id]" }, ["app/(shop)/[id]/page.tsx"]],
  [{ pattern: "app/(shop)/**/page.tsx" }, ["app/(shop)/[id]/page.tsx"]],
  [{ pattern: "app/(shop)/[id]/*" }, ["app/(shop)/[id]/page.tsx"]],
  [{ pattern: "lib/@(a|b).{ts,js}" }, ["lib/a.ts", "lib/b.js"]],
  [{ pattern: "../lib/[ab].*", path: "app" }, ["lib/a.ts", "lib/b.js"]],
  [{ pattern: "nowhere/*.ts" }, []],
])("Glob finds %j", async (input, found) => {
  const place = makePlace(FILES);
  const world = await callAll([call("Glob", input)], {}, place);
  const names = found.map((name) => join(place.project, name));
  expect(callsOf(world)[0]?.status).toBe("ok");
  expect(callsOf(world)[0]?.resultData).toMatchObject({ filenames: expect.toSatisfy(sameSet(names)) });
});

const sameSet = (wanted: readonly string[]) => (names: readonly string[]) =>
  names.toSorted().join() === wanted.toSorted().join();

test("an absolute pattern is looked for where it leads", async () => {
  const place = makePlace();
  mkdirSync(join(place.home, "other"));
  writeFileSync(join(place.home, "other", "x.conf"), "");
  const world = await callAll([call("Glob", { pattern: `${place.home}/other/*.conf` })], {}, place);
  expect(callsOf(world)[0]?.result).toBe(join(place.home, "other", "x.conf"));
});

test("what git keeps for itself is not found, wherever the search begins", async () => {
  const files = { ".git/needle": "needle", "sub/.git/needle": "needle", "sub/a.ts": "needle" };
  const place = makePlace(files);
  const made = [
    call("Bash", { command: "cd sub" }),
    call("Glob", { pattern: "**/*", path: place.project }),
    call("Grep", { pattern: "needle", path: place.project }),
    call("Grep", { pattern: "needle", path: place.project, glob: "**/*" }),
  ];
  const [, ...found] = callsOf(await callAll(made, {}, place));
  const only = join(place.project, "sub", "a.ts");
  expect(found.map(({ resultData }) => resultData)).toMatchObject(Array(3).fill({ filenames: [only] }));
});

test.each(["*.ts,*.js", "*.ts *.js", "*.{ts,js}"])("Grep takes the patterns %j", async (glob) => {
  const place = makePlace(FILES);
  const world = await callAll([call("Grep", { pattern: "needle", glob })], {}, place);
  const names = ["lib/a.ts", "lib/b.js"].map((name) => join(place.project, name));
  expect(callsOf(world)[0]?.resultData).toMatchObject({ filenames: expect.toSatisfy(sameSet(names)) });
});
