#!/usr/bin/env node
import { closeSync, openSync, writeSync } from "node:fs";
import { eachLine } from "./session-files.mjs";

/** What every rewriting of a session costs at least: read, parse, write. */
const [from = "", to = ""] = process.argv.slice(2);
const file = openSync(to, "w");
eachLine(from, (bytes, start, end) => {
  writeSync(file, `${JSON.stringify(JSON.parse(bytes.toString("utf8", start, end)))}\n`);
});
closeSync(file);
