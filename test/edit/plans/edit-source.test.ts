import { join } from "node:path";
import { expect, test } from "vitest";
import { readEditSource } from "../../../src/edit/plans/edit-source.js";
import { sketchBodies } from "../../../src/edit/plans/source-record.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

test.each(corpusSessions())("bodies of %s that are sketched while reading are those that are read again", (path) => {
  const { sketches, records, path: file } = readEditSource(join(CORPUS, path), { sketchesBodies: true });
  expect(sketches).toEqual(sketchBodies(file, records));
});
