import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";

const create = () => createRedactor({ level: "mask" });

describe("a secret that was found by its name", () => {
  test("is removed where it stands bare, before and after, in one text", () => {
    const text = "I used tulip_otter74 here.\nDB_PASSWORD=tulip_otter74\nconnected with tulip_otter74, fine";
    expect(create().text(text)).toBe(
      "I used [REDACTED:password:1] here.\nDB_PASSWORD=[REDACTED:password:1]\nconnected with [REDACTED:password:1], fine",
    );
  });

  test("is removed from all that the same redactor reads later", () => {
    const redactor = create();
    redactor.text("DB_PASSWORD=tulip_otter74");
    expect(redactor.json({ text: "it was tulip_otter74" })).toEqual({ text: "it was [REDACTED:password:1]" });
  });

  test("is removed where it is written in base64 or for a URL", () => {
    const redactor = create();
    redactor.text('{"password": "tulip&otter/74x"}');
    expect(redactor.text(`${btoa("tulip&otter/74x")} ?q=tulip%26otter%2F74x`)).not.toMatch(/dHVs|otter/);
  });

  test("does not take longer words along, nor what is a word, a number or an id", () => {
    const redactor = create();
    redactor.text('password: "tulip74x"\n{"password": "48291734"}\nsecret_id=0a1b2c3d-1111-4222-8333-444455556666');
    const text = "tulip74xy and 48291734, 0a1b2c3d-1111-4222-8333-444455556666";
    expect(redactor.text(text)).toBe(text);
  });

  test("stays in the id of a record", () => {
    const redactor = create();
    redactor.text("API_TOKEN=Zx81kqLm22vTn0aPq7Rw");
    expect(redactor.json({ uuid: "Zx81kqLm22vTn0aPq7Rw" })).toEqual({ uuid: "Zx81kqLm22vTn0aPq7Rw" });
  });
});

test("published sample keys stay", () => {
  const text =
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nsk_test_4eC39HqLyjWDarjtT1zdp7dc";
  expect(create().text(text)).toBe(text);
});
