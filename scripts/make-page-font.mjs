#!/usr/bin/env node
// Writes the font of the page, as WOFF2, from the one of videos: the same tables in the same form, packed by Brotli.
// Without ligatures: a session shows each character that was written.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCE = resolve(ROOT, "assets/fonts/JetBrainsMono-Regular.ttf");
const TARGET = resolve(ROOT, "src/web/fonts/jetbrains-mono.woff2");

/** Known by their number in this list (WOFF2, 4.1). */
const KNOWN_TAGS = (
  "cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT " +
  "VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_ sbix acnt avar bdat bloc bsln cvar " +
  "fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill"
)
  .split(" ")
  .map((tag) => tag.replace("_", " "));
const LEFT_OUT = ["DSIG", "GSUB"]; // the signature, the ligatures
const OTHER_TAG = 63;
const HEADER_BYTES = 48;

/** @typedef {{ tag: string, bytes: Buffer }} Table */

/** @param {Buffer} font @returns {Table[]} */
function readTables(font) {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const at = 12 + index * 16;
    const start = font.readUInt32BE(at + 8);
    const bytes = font.subarray(start, start + font.readUInt32BE(at + 12));
    return { tag: font.toString("latin1", at, at + 4), bytes };
  });
  return tables.filter(({ tag }) => !LEFT_OUT.includes(tag)).sort((a, b) => (a.tag < b.tag ? -1 : 1));
}

/** Outlines may be stored in another form; version 3 says that they are not. @param {Table} table */
function describeTable({ tag, bytes }) {
  const known = KNOWN_TAGS.indexOf(tag);
  const version = tag === "glyf" || tag === "loca" ? 3 : 0;
  const flags = Buffer.from([(known < 0 ? OTHER_TAG : known) | (version << 6)]);
  return Buffer.concat([flags, Buffer.from(known < 0 ? tag : "", "latin1"), toBase128(bytes.length)]);
}

/** @param {number} value */
function toBase128(value) {
  const digits = [];
  for (let left = value; left > 0 || digits.length === 0; left >>>= 7) digits.unshift(left & 127);
  return Buffer.from(digits.map((digit, index) => (index < digits.length - 1 ? digit | 128 : digit)));
}

/** @param {Buffer} font */
function toWoff2(font) {
  const tables = readTables(font);
  const directory = Buffer.concat(tables.map(describeTable));
  const packed = brotliCompressSync(Buffer.concat(tables.map(({ bytes }) => bytes)), {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT,
    },
  });
  const length = Math.ceil((HEADER_BYTES + directory.length + packed.length) / 4) * 4;
  const unpacked = tables.reduce((sum, { bytes }) => sum + 16 + Math.ceil(bytes.length / 4) * 4, 12);
  const woff = Buffer.alloc(length);
  woff.write("wOF2", 0, "latin1");
  woff.writeUInt32BE(font.readUInt32BE(0), 4);
  woff.writeUInt32BE(length, 8);
  woff.writeUInt16BE(tables.length, 12);
  woff.writeUInt32BE(unpacked, 16);
  woff.writeUInt32BE(packed.length, 20);
  woff.writeUInt16BE(1, 24);
  directory.copy(woff, HEADER_BYTES);
  packed.copy(woff, HEADER_BYTES + directory.length);
  return woff;
}

writeFileSync(TARGET, toWoff2(readFileSync(SOURCE)));
