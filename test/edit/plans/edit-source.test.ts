import { join } from "node:path";
import { expect, test } from "vitest";
import { sketchBodies } from "../../../src/edit/plans/body-sketch.js";
import { readEditSource } from "../../../src/edit/plans/edit-source.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

test.each(corpusSessions())("bodies of %s that are sketched while reading are those that are read again", (path) => {
  const source = readEditSource(join(CORPUS, path), { sketchesBodies: true });
  expect(source.sketches).toEqual(sketchBodies(source));
});
