import type { MadeExample } from "./made-example.js";

const PATH = "/srv/shop/src/cart.ts";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const twoEdits = [
  { old_string: "let sum = 0;", new_string: "let cents = 0;" },
  { old_string: "sum", new_string: "cents", replace_all: true },
];

const patch = [
  {
    oldStart: 1,
    oldLines: 5,
    newStart: 1,
    newLines: 5,
    lines: [
      " export function total(items: readonly Item[]): number {",
      "-  let sum = 0;",
      "-  for (const { price } of items) sum += price;",
      "-  return sum;",
      "+  let cents = 0;",
      "+  for (const { price } of items) cents += price;",
      "+  return cents;",
      " }",
    ],
  },
];

/** Reading and changing files, as far as no recording shows it. */
export const FILE_EXAMPLES: readonly MadeExample[] = [
  {
    name: "MultiEdit",
    input: { file_path: PATH, edits: twoEdits },
    content: `Applied 2 edits to ${PATH}:\n1. Replaced "let sum = 0;" with "let cents = 0;"\n2. Replaced "sum" with "cents"`,
    data: { filePath: PATH, edits: twoEdits, originalFileContents: "…", structuredPatch: patch, userModified: false },
  },
  { name: "MultiEdit", input: { file_path: PATH, edits: twoEdits }, content: `Applied 2 edits to ${PATH}` },
  {
    name: "MultiEdit",
    input: { file_path: PATH, edits: twoEdits },
    content: "<tool_use_error>String to replace not found in file.\nString: let sum = 0;</tool_use_error>",
    data: "Error: String to replace not found in file.\nString: let sum = 0;",
    isError: true,
  },
  {
    name: "NotebookEdit",
    input: {
      notebook_path: "/srv/shop/sales.ipynb",
      cell_id: "8f2c",
      new_source: "import pandas as pd\n\nsales = pd.read_csv('sales.csv')\nsales.head()",
    },
    content: "Updated cell 8f2c with import pandas as pd\n\nsales = pd.read_csv('sales.csv')\nsales.head()",
    data: {
      new_source: "import pandas as pd\n\nsales = pd.read_csv('sales.csv')\nsales.head()",
      cell_type: "code",
      language: "python",
      edit_mode: "replace",
      cell_id: "8f2c",
      error: "",
    },
  },
  {
    name: "NotebookEdit",
    input: {
      notebook_path: "/srv/shop/sales.ipynb",
      cell_id: "8f2c",
      cell_type: "markdown",
      edit_mode: "insert",
      new_source: "## Sales per *month*",
    },
    content: "Inserted cell 91aa with ## Sales per *month*",
    data: { new_source: "## Sales per *month*", cell_type: "markdown", language: "python", cell_id: "91aa", error: "" },
  },
  {
    name: "NotebookEdit",
    input: { notebook_path: "/srv/shop/sales.ipynb", cell_id: "91aa", edit_mode: "delete", new_source: "" },
    content: "Deleted cell 91aa",
    data: { new_source: "", cell_type: "code", language: "python", edit_mode: "delete", cell_id: "91aa", error: "" },
  },
  {
    name: "Read",
    input: { file_path: "/srv/shop/logo.png" },
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
    data: { type: "image", file: { base64: PIXEL, type: "image/png", originalSize: 70 } },
  },
  {
    name: "Read",
    input: { file_path: "/srv/shop/sales.ipynb" },
    content: '<cell id="8f2c">sales.head()</cell id="8f2c">',
    data: {
      type: "notebook",
      file: {
        filePath: "/srv/shop/sales.ipynb",
        cells: [
          { cellType: "markdown", source: "# Sales", cell_id: "91aa" },
          {
            cellType: "code",
            source: "sales.head()",
            cell_id: "8f2c",
            language: "python",
            outputs: [{ output_type: "execute_result", text: "  month  total\n0   May     17" }],
          },
        ],
      },
    },
  },
  {
    name: "Read",
    input: { file_path: "/srv/shop/terms.pdf", pages: "2-3" },
    content: "PDF file read: /srv/shop/terms.pdf (12.4KB)",
    data: { type: "pdf", file: { filePath: "/srv/shop/terms.pdf", base64: "JVBERi0xLjQK", originalSize: 12_700 } },
  },
  {
    name: "Write",
    input: { file_path: PATH, content: "export const VAT = 0.2;\n" },
    content: `The file ${PATH} has been updated.`,
    data: {
      type: "update",
      filePath: PATH,
      content: "export const VAT = 0.2;\n",
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 1,
          newStart: 1,
          newLines: 1,
          lines: ["-export const VAT = 0.19;", "+export const VAT = 0.2;"],
        },
      ],
      originalFile: "export const VAT = 0.19;\n",
      userModified: true,
    },
  },
  {
    name: "Grep",
    input: { pattern: "VAT", output_mode: "count", glob: "*.ts" },
    content: "src/cart.ts:3\nsrc/invoice.ts:11\n\nFound 14 total occurrences across 2 files.",
    data: { mode: "count", numFiles: 2, filenames: [], content: "src/cart.ts:3\nsrc/invoice.ts:11", numMatches: 14 },
  },
  {
    name: "Grep",
    input: { pattern: "VAT", path: "src", output_mode: "content", "-n": true, head_limit: 2 },
    content: "src/cart.ts:1:export const VAT = 0.2;\nsrc/cart.ts:9:  return net * (1 + VAT);",
    data: {
      mode: "content",
      numFiles: 0,
      filenames: [],
      content: "src/cart.ts:1:export const VAT = 0.2;\nsrc/cart.ts:9:  return net * (1 + VAT);",
      numLines: 2,
      appliedLimit: 2,
    },
  },
  {
    name: "LSP",
    input: { operation: "goToDefinition", filePath: "src/invoice.ts", line: 4, character: 17 },
    content: "Defined in src/cart.ts:1:14",
    data: {
      operation: "goToDefinition",
      result: "Defined in src/cart.ts:1:14",
      filePath: "src/invoice.ts",
      resultCount: 1,
      fileCount: 1,
    },
  },
];
