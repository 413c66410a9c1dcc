import { expect, test } from "vitest";
import { listShellChanges } from "../../../src/session/file-history/shell-changes.js";

const changes = (command: string) =>
  listShellChanges(command, "/p").map(({ path, to }) => (to ? `${path}>${to}` : path));

test.each([
  ["mv a.txt b.txt", ["/p/a.txt>/p/b.txt"]],
  ["git mv -f 'a b' c/", ["/p/a b>/p/c/a b"]],
  ["rm -rf a /q/b && ls", ["/p/a", "/q/b"]],
  ["cd sub && rm a; mv ../x y", ["/p/sub/a", "/p/x>/p/sub/y"]],
  ['git rm "old.ts"', ["/p/old.ts"]],
])("%s is plain", (command, expected) => {
  expect(changes(command)).toEqual(expected);
});

test.each([
  "cat > x <<E\nrm a\nE",
  "cd ~ && rm a",
  "mv *.txt b",
  "rm $FILE",
  "rm `ls`",
  "mv a b c",
  "rm 'a'b",
  "echo rm a",
  "rm a | cat",
  "rm ~/a",
  "mv a",
])("%s is not judged", (command) => {
  expect(changes(command)).toEqual([]);
});
