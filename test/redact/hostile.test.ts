import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { BASE64, seededRandom } from "./seeded-random.js";

const MEGABYTE = 1_000_000;
const ENOUGH_MS = 30_000; // what backtracks without end does not end in time

const repeat = (part: string) => part.repeat(Math.ceil(MEGABYTE / part.length));

const HOSTILE: readonly (readonly [string, string])[] = [
  ["letters", repeat("a")],
  ["dashes", repeat("-")],
  ["address signs", repeat("://")],
  ["addresses with colons", repeat("a://a:")],
  ["base64", seededRandom(7).text(BASE64, MEGABYTE)],
  ["backslashes", repeat("\\")],
  ["escaped quotes", repeat('\\"')],
  ["names", repeat("key")],
  ["names and signs", repeat("api_key=")],
  ["names and quotes", repeat('api_key="')],
  ["names and spaces", repeat("password ")],
  ["prefixes", repeat("sk-")],
  ["beginnings of tokens", repeat("eyJ-")],
  ["headers of keys", repeat("-----BEGIN PRIVATE KEY-----")],
  ["footers of keys", repeat("-----END PRIVATE KEY-----\n")],
  ["at signs", repeat("a@a.")],
  ["cookies", repeat("cookie: a=")],
  ["commands", repeat("mysql -u root -")],
  ["heads of tables", repeat("a,password,b\n")],
  ["colours", repeat("\u001b[31mkey")],
  ["percent signs", repeat("%3A%40")],
  ["continued lines", repeat("a\\\n")],
  ["joined strings", repeat('"a" + ')],
  ["lines of a dump", repeat("00000000: 6161 6161 6161 6161  aaaaaaaa\n")],
  ["encoded text", repeat("QUFBQUFBQUFBQUFBQUFBQUFBQUFB ")],
  ["lines of base64", repeat(`${"QUFB".repeat(19)}\n`)],
  ["names in other languages", repeat("clave de ")],
  ["pieces of scripts", repeat('send "')],
  ["manifests", repeat("kind: Secret\ndata:\n")],
  ["calls", repeat('login("')],
  ["options", repeat("rootpw=1 ")],
  ["logins", repeat("logged in a1 ")],
  ["columns of SQL", repeat("insert into a (password) values ")],
  ["announcements of codes", repeat("backupcode")],
  ["homes that are none", repeat("/home/")],
  ["beginnings of placeholders", repeat("[REDACTED:")],
  ["placeholders", repeat("[REDACTED:a:1]")],
];

describe("hostile text of a megabyte", () => {
  test.each(HOSTILE)("made of %s is read to its end and stays", { timeout: ENOUGH_MS }, (_, text) => {
    const redacted = createRedactor({ level: "redact", home: "/home/dana", emails: true }).text(text);
    expect(redacted === text).toBe(true); // not toBe(text), which would print a megabyte
  });

  test("made of secrets loses them all", { timeout: ENOUGH_MS }, () => {
    const { text } = seededRandom(3);
    const secret = `ghp_${text("abcXYZ0123456789", 36)}`;
    const redacted = createRedactor({ level: "mask" }).text(repeat(`${secret}\n`));
    expect(redacted.replaceAll("[REDACTED:github-token:1]\n", "")).toBe("");
  });

  test("made of names that each make a secret of the one before is read in few rounds", { timeout: ENOUGH_MS }, () => {
    const names = "pdl_sdbx_apikey_ ".repeat(6000);
    expect(createRedactor({ level: "mask" }).text(names)).toContain("[REDACTED:");
  });

  test("nested a hundred thousand levels deep keeps its depth", { timeout: ENOUGH_MS }, () => {
    const depth = 100_000;
    const nested = JSON.parse(`${'{"a":['.repeat(depth / 2)}"AKIA${"Q3".repeat(8)}"${"]}".repeat(depth / 2)}`);
    const redacted = createRedactor({ level: "mask" }).json(nested);
    expect(innermost(redacted)).toEqual({ value: "[REDACTED:aws-key:1]", depth });
    expect(innermost(JSON.parse(createRedactor({ level: "mask" }).stringify(nested)))).toEqual(innermost(redacted));
  });
});

function innermost(root: unknown): { value: unknown; depth: number } {
  let value = root;
  let depth = 0;
  for (; typeof value === "object" && value !== null; depth++) value = Object.values(value)[0];
  return { value, depth };
}
