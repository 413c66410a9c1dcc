import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { ARMOURS, privateKey } from "./private-keys.js";

const redact = (text: string) => createRedactor({ level: "mask" }).text(text);

describe("private keys", () => {
  test.each(ARMOURS)("in the armour %s become one placeholder", (armour) => {
    const { block } = privateKey(armour, 1);
    expect(redact(`key:\n${block}\nend`)).toBe("key:\n[REDACTED:private-key:1]\nend");
  });

  test.each(ARMOURS)("in the armour %s are found in JSON inside JSON, and it stays JSON", (armour) => {
    const { block } = privateKey(armour, 2);
    const line = JSON.stringify({ stdout: JSON.stringify({ private_key: `${block}\n`, client: "a" }) });
    const { stdout } = JSON.parse(redact(line));
    expect(JSON.parse(stdout)).toEqual({ private_key: "[REDACTED:private-key:1]\n", client: "a" });
  });

  test("have the same number with real line ends and escaped ones", () => {
    const { block } = privateKey("RSA PRIVATE KEY", 3);
    const redactor = createRedactor({ level: "mask" });
    expect(redactor.text(block)).toBe("[REDACTED:private-key:1]");
    expect(redactor.text(JSON.stringify({ block }))).toBe('{"block":"[REDACTED:private-key:1]"}');
  });

  test("behind line numbers, as the Read tool shows them, are removed whole", () => {
    const { block, lines } = privateKey("EC PRIVATE KEY", 4);
    const listing = block
      .split("\n")
      .map((line, index) => `     ${index + 1}→${line}`)
      .join("\n");
    const redacted = redact(listing);
    expect(lines.filter((line) => redacted.includes(line))).toEqual([]);
  });

  test("that are cut off at the end lose what is there", () => {
    const { block, lines } = privateKey("RSA PRIVATE KEY", 5);
    const redacted = redact(`$ head -4 key.pem\n${block.split("\n").slice(0, 4).join("\n")}\n$ ls\nREADME.md`);
    expect(lines.filter((line) => redacted.includes(line))).toEqual([]);
    expect(redacted).toContain("$ ls\nREADME.md");
  });

  test("that are encrypted and cut off lose what is there", () => {
    const { lines } = privateKey("", 5);
    const head = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0F1E2D3C\n\n";
    expect(redact(head + lines.slice(0, 2).join("\n"))).toBe("[REDACTED:private-key:1]");
  });

  test("that are cut off at the beginning lose what is there", () => {
    const { block, lines } = privateKey("OPENSSH PRIVATE KEY", 6);
    const redacted = redact(`$ tail -4 key.pem\n${block.split("\n").slice(-4).join("\n")}\ndone`);
    expect(lines.filter((line) => redacted.includes(line))).toEqual([]);
    expect(redacted).toMatch(/^\$ tail -4 key\.pem\n\[REDACTED:private-key:1\]\ndone$/);
  });

  test("that are cut off at the beginning are found in JSON, and it stays JSON", () => {
    const { block } = privateKey("OPENSSH PRIVATE KEY", 6);
    const line = JSON.stringify({ log: JSON.stringify(["first\n", block.split("\n").slice(2).join("\n")]) });
    expect(JSON.parse(JSON.parse(redact(line)).log)).toEqual(["first\n", "[REDACTED:private-key:1]"]);
  });

  test("in the lines of a patch are removed, and the patch keeps its lines and signs", () => {
    const { block, lines } = privateKey("PRIVATE KEY", 7);
    const patch = [" # keys", ...block.split("\n").map((line) => `+${line}`), " # end"];
    const { structuredPatch } = createRedactor({ level: "mask" }).json({ structuredPatch: [{ lines: patch }] });
    const redacted = structuredPatch[0]?.lines ?? [];
    expect(redacted).toHaveLength(patch.length);
    expect(redacted.map((line) => line.charAt(0))).toEqual(patch.map((line) => line.charAt(0)));
    expect(redacted.filter((line) => lines.some((secret) => line.includes(secret)))).toEqual([]);
  });

  test("of PuTTY lose their private lines and keep the public ones", () => {
    const { lines } = privateKey("", 8);
    const file = `PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAAB3NzaC1yc2E=\nPrivate-Lines: 5\n${lines.join("\n")}\n`;
    const redacted = redact(file);
    expect(lines.filter((line) => redacted.includes(line))).toEqual([]);
    expect(redacted).toContain("Public-Lines: 1\nAAAAB3NzaC1yc2E=");
  });

  test("whose footer belongs to another field do not swallow what lies between", () => {
    const { lines } = privateKey("PRIVATE KEY", 9);
    const line = JSON.stringify({
      a: `-----BEGIN PRIVATE KEY-----\n${lines[0]}`,
      kept: 1,
      b: "-----END PRIVATE KEY-----",
    });
    expect(JSON.parse(redact(line))).toEqual({
      a: "[REDACTED:private-key:1]",
      kept: 1,
      b: "-----END PRIVATE KEY-----",
    });
  });
});
