import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { exportedNames } from "./exported-names.js";

const DOCS = resolve(import.meta.dirname, "..", "..", "docs");
const page = readFileSync(join(DOCS, "library.md"), "utf8");
const [main = "", ofLibrary = "", ofEdit = "", ofRender = "", ofTrace = ""] = page.split(
  /^## turnlog\/(?:library|edit|render|trace)$/m,
);

const ENTRY_POINTS = [
  { name: "turnlog", entry: "index.ts", text: main },
  { name: "turnlog/library", entry: "library/index.ts", text: ofLibrary },
  { name: "turnlog/edit", entry: "edit/index.ts", text: ofEdit },
  { name: "turnlog/render", entry: "render/index.ts", text: ofRender },
  { name: "turnlog/trace", entry: "trace/index.ts", text: ofTrace },
];

const headings = (text: string) => [...text.matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name);
const typesIn = (text: string) => [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
const exported = (entry: string, isType: boolean) => exportedNames(entry).filter((found) => found.isType === isType);
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name).toSorted();

/** The page may break a signature into other lines than the compiler does. */
const unbroken = (text: string) => text.replace(/\s+/g, " ");

describe.each(ENTRY_POINTS)("the library page, about $name,", ({ entry, text }) => {
  test("has a heading for exactly the exported values", () => {
    expect(headings(text).toSorted()).toEqual(namesOf(exported(entry, false)));
  });

  test("has a table row for exactly the exported types", () => {
    expect(typesIn(text).toSorted()).toEqual(namesOf(exported(entry, true)));
  });

  test("quotes every signature as the type declarations have it", () => {
    const signatures = exported(entry, false).map(({ signature }) => unbroken(signature));
    expect(signatures.filter((signature) => !unbroken(text).includes(signature))).toEqual([]);
    expect(signatures.join("")).not.toBe("");
  });
});

test("links of the library page lead to files", () => {
  const links = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
  expect(links.length).toBeGreaterThan(18);
  expect(links.filter((target) => !existsSync(join(DOCS, target)))).toEqual([]);
});
