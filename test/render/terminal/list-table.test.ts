import { expect, test } from "vitest";
import { paintListTable } from "../../../src/render/terminal/lists/list-table.js";
import { createStyle } from "../../../src/render/terminal/style.js";

test("a heading is as long as the terminal is wide, and makes no column wider", () => {
  const rows = [
    { name: "a heading that is longer than any name", count: "" },
    { name: "one", count: "7" },
    { name: "a heading that is much longer than the terminal", count: "" },
  ];
  const columns = [
    { title: "name", cell: (row: (typeof rows)[0]) => row.name, isText: true },
    { title: "count", cell: (row: (typeof rows)[0]) => row.count },
  ];
  expect(paintListTable(rows, columns, { columns: 40, style: createStyle(false) })).toBe(
    [
      "name  count",
      "a heading that is longer than any name",
      "one       7",
      "a heading that is much longer than the…",
      "",
    ].join("\n"),
  );
});
