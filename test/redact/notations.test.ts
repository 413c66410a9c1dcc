import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { CHOSEN_NOTATIONS } from "./notations/chosen-notations.js";
import { HARD_FORMS } from "./notations/hard-forms.js";
import { ISSUED_NOTATIONS } from "./notations/issued-notations.js";
import { ALPHANUMERIC, BASE64, HEX, seededRandom, URL_SAFE } from "./seeded-random.js";

const redact = (text: string) => createRedactor({ level: "mask" }).text(text);

function issuedValues(seed: number): string[] {
  const { text } = seededRandom(seed);
  const values = [text(ALPHANUMERIC, 24), text(ALPHANUMERIC, 32), text(HEX, 32), text(HEX, 40), `${text(BASE64, 43)}=`];
  return [...values, text(URL_SAFE, 40)];
}

const PASSWORDS = ["hunter2-Xk9", "Tr0ub4dor&3", "hunter22x", "Zx9kLm22qq", "winter-Sun7!", "correct7horse"];

describe("a generated value is found", () => {
  test.each(Object.entries(ISSUED_NOTATIONS))("in %s", (_, write) => {
    const values = [1, 2, 3].flatMap(issuedValues);
    expect(values.filter((value) => redact(write(value)).includes(value))).toEqual([]);
  });
});

describe("a password is found", () => {
  test.each(Object.entries(CHOSEN_NOTATIONS))("in %s", (_, write) => {
    const forms = PASSWORDS.map((password) => ({ password, encoded: encodeURIComponent(password) }));
    const left = forms.filter(({ password, encoded }) => {
      const redacted = redact(write(password));
      return redacted.includes(password) || redacted.includes(encoded);
    });
    expect(left).toEqual([]);
  });
});

describe("what is hidden is found", () => {
  const { text } = seededRandom(5);
  const NAMED = [
    ["STRIPE_SECRET_KEY", `sk_live_${text(ALPHANUMERIC, 24)}`],
    ["GITHUB_TOKEN", `ghp_${text(ALPHANUMERIC, 36)}`],
    ["API_KEY", text(HEX, 40)],
    ["AUTH_TOKEN", text(URL_SAFE, 32)],
  ] as const;

  test.each(Object.entries(HARD_FORMS))("in %s", (_, hide) => {
    const hidden = NAMED.map(([name, value]) => hide(name, value));
    expect(
      hidden.filter(({ text: before, secrets }) => secrets.some((secret) => redact(before).includes(secret))),
    ).toEqual([]);
  });

  test.each(Object.entries(HARD_FORMS))("in %s as a line of JSON, which stays JSON", (_, hide) => {
    const lines = NAMED.map(([name, value]) => JSON.stringify({ stdout: hide(name, value).text }));
    expect(lines.map((line) => Object.keys(JSON.parse(redact(line))))).toEqual(lines.map(() => ["stdout"]));
  });
});

describe("what is removed", () => {
  test("of a coloured line is only the value", () => {
    expect(redact("\u001b[33mAPI\u001b[0m_KEY=0123abcd4567efab89cd\u001b[0m ok")).toMatch(
      /^\u001b\[33mAPI\u001b\[0m_KEY=\[REDACTED:secret:1\].* ok$/u,
    );
  });

  test("of a table are the cells of one column", () => {
    const table = "| User | Password |\n|---|---|\n| dana | Zx9kLm22qq |\n| erin | changeme |\n";
    expect(redact(table)).toBe(
      "| User | Password |\n|---|---|\n| dana | [REDACTED:password:1] |\n| erin | changeme |\n",
    );
  });

  test("of base64 is the whole run", () => {
    const code = Buffer.from(`API_KEY=${issuedValues(9)[1]}\n`).toString("base64");
    expect(redact(`echo ${code} | base64 -d`)).toBe("echo [REDACTED:secret:1] | base64 -d");
  });

  test("after PASSWORD= on a line may be words, but no label", () => {
    expect(redact('PASSWORD="purple monkey dishwasher"\n')).toBe('PASSWORD="[REDACTED:password:1]"\n');
    expect(redact('PASSWORD="Enter your password"\n')).toBe('PASSWORD="Enter your password"\n');
  });

  test("of a number in JSON leaves JSON", () => {
    expect(redact('{"password": 48291734, "port": 54321678}')).toBe(
      '{"password": "[REDACTED:password:1]", "port": 54321678}',
    );
  });
});
