import fc from "fast-check";

const PIECES = [
  ...["```", "````", "~~~", "`", "``", "\\", "\\`", "\n", "\n\n", "\n    ", "\n> ", "\n- ", "\n1. ", "\n  ", "\t", " "],
  ...[
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?php",
    "<!DOCTYPE",
    "<script>",
  ],
  ...[
    "</script>",
    "<pre>",
    "</pre>",
    "<a href='",
    "<b",
    ">",
    "<",
    "</",
    "<https://a.b>",
    "<img src=x onerror=y>",
    "<h1>",
  ],
  ...[
    "\n# a",
    "\n## b",
    "\n===",
    "\n---",
    "\n***",
    "\n| a | b |\n|---|---|\n| ",
    "|",
    "[a]: b",
    "[a](<b>)",
    "![i](",
    "&lt;",
  ],
  ...[
    "&amp",
    "&",
    "*",
    "**",
    "_",
    "~~",
    "]",
    "[",
    "(",
    ")",
    "word",
    "snake_case",
    "C:\\dir",
    "\u202e",
    "\u001b[31m",
    "\r",
  ],
  ...["#", "1.", "+", "=", "-", "é", "文", "😀"],
];

/** What Markdown and HTML are made of, in any order. */
export function hostileText(): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(""));
}
