import { describe, expect, test } from "vitest";
import { findSecrets } from "../../src/redact/find-secrets.js";
import { issuedSecrets } from "./planted-secrets.js";

const [first, second] = issuedSecrets(31);
const one = first?.secret ?? "";
const two = second?.secret ?? "";

describe("finding secrets", () => {
  test("tells kind and place", () => {
    const text = `a ${one}\npassword=Zx9!kLm22`;
    const found = findSecrets(text);
    expect(found.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
      [first?.kind, one],
      ["password", "Zx9!kLm22"],
    ]);
  });

  test("gives equal secrets equal fingerprints, and different ones different", () => {
    const prints = findSecrets(`${one} ${two} ${one}`).map(({ fingerprint }) => fingerprint);
    expect(prints[0]).toBe(prints[2]);
    expect(prints[0]).not.toBe(prints[1]);
  });

  test("never carries the secret", () => {
    expect(JSON.stringify(findSecrets(`x ${one} y`))).not.toContain(one.slice(8, 20));
  });

  test("knows nothing of what is redacted already", () => {
    expect(findSecrets("API_KEY=[REDACTED:secret:1] password: [REDACTED:password:2]")).toEqual([]);
  });

  test("takes custom patterns", () => {
    expect(findSecrets("see SHOP-12", [{ name: "ticket", pattern: /SHOP-\d+/g }])).toMatchObject([
      { kind: "ticket", start: 4, end: 11 },
    ]);
  });
});
