#!/usr/bin/env node
// Installs Markdown renderers that others use, and prints their folder.
import { installPackages } from "./install-packages.mjs";

const packages = [
  "commonmark@0.31.2",
  "marked@18.2.0",
  "showdown@2.1.0",
  "unified@11.0.5",
  "remark-parse@11.0.0",
  "remark-gfm@4.0.1",
  "remark-rehype@11.1.2",
  "rehype-raw@7.0.0",
  "rehype-stringify@10.0.1",
];
console.log(installPackages({ cache: "markdown-readers", packages, entry: [], test: "the test of exported Markdown" }));
