import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { issuedSecrets } from "./planted-secrets.js";
import { BASE64, seededRandom } from "./seeded-random.js";

const secretOf = (kind: string, seed = 1) => issuedSecrets(seed).find((issued) => issued.kind === kind)?.secret ?? "";
const aws = secretOf("aws-key");
const otherAws = secretOf("aws-key", 2);
const github = secretOf("github-token");

describe("placeholders", () => {
  test("number secrets by kind, in the order in which they are met", () => {
    const redactor = createRedactor({ level: "mask" });
    expect(redactor.text(`${aws} ${github} ${otherAws}`)).toBe(
      "[REDACTED:aws-key:1] [REDACTED:github-token:1] [REDACTED:aws-key:2]",
    );
  });

  test("are the same for the same secret, in text and JSON, whatever gives it away", () => {
    const redactor = createRedactor({ level: "mask" });
    expect(redactor.text(`use ${github}`)).toBe("use [REDACTED:github-token:1]");
    expect(redactor.json({ password: github })).toEqual({ password: "[REDACTED:github-token:1]" });
    expect(redactor.text(`GITHUB_TOKEN=${github}`)).toBe("GITHUB_TOKEN=[REDACTED:github-token:1]");
  });

  test("that a text already has keep their numbers", () => {
    const redactor = createRedactor({ level: "mask" });
    expect(redactor.text(`[REDACTED:aws-key:1] ${aws}`)).toBe("[REDACTED:aws-key:1] [REDACTED:aws-key:2]");
  });

  test("are not secrets themselves, whatever stands before them", () => {
    const text = 'password=[REDACTED:password:1] "api_key": "[REDACTED:secret:3]" Bearer [REDACTED:jwt:2]';
    expect(createRedactor({ level: "redact", user: "redacted" }).text(text)).toBe(text);
  });

  test("have the kind of the issuer where a name would only say secret", () => {
    expect(createRedactor({ level: "mask" }).text(`export API_KEY="${github}"`)).toBe(
      'export API_KEY="[REDACTED:github-token:1]"',
    );
  });
});

describe("pairs", () => {
  test("the secret behind an AWS key goes with it", () => {
    const secret = seededRandom(5).text(BASE64, 40);
    expect(createRedactor({ level: "mask" }).text(`${aws},${secret}\n`)).toBe(
      "[REDACTED:aws-key:1],[REDACTED:aws-secret:1]\n",
    );
  });

  test("a Telegram token is found in the address that it is used in", () => {
    const telegram = secretOf("telegram-token");
    expect(createRedactor({ level: "mask" }).text(`https://api.telegram.org/bot${telegram}/getMe`)).toBe(
      "https://api.telegram.org/bot[REDACTED:telegram-token:1]/getMe",
    );
  });
});

describe("levels", () => {
  const text = `cd /home/dana && mail dana@shop.org ${aws}`;
  const who = { home: "/home/dana", user: "dana", emails: true };

  test("masking leaves paths, names and addresses alone", () => {
    expect(createRedactor({ level: "mask", ...who }).text(text)).toBe(
      "cd /home/dana && mail dana@shop.org [REDACTED:aws-key:1]",
    );
  });

  test("redacting removes them too", () => {
    expect(createRedactor({ level: "redact", ...who }).text(text)).toBe(
      "cd ~ && mail [REDACTED:email:1] [REDACTED:aws-key:1]",
    );
  });

  test("addresses stay unless asked for", () => {
    expect(createRedactor({ level: "redact" }).text("mail erin@shop.org")).toBe("mail erin@shop.org");
  });
});

describe("the report", () => {
  test("counts by kind and by place", () => {
    const redactor = createRedactor({ level: "mask" });
    redactor.text(`${aws} and ${aws}`, "prompt");
    redactor.json({ stdout: github, content: [aws] }, "toolUseResult");
    expect(redactor.report()).toEqual({
      total: 4,
      byKind: { "aws-key": 3, "github-token": 1 },
      byPlace: { prompt: { "aws-key": 2 }, toolUseResult: { "github-token": 1, "aws-key": 1 } },
      secrets: 2,
    });
  });

  test("never holds a secret", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dana" });
    redactor.json({ [github]: aws, path: "/home/dana/x" }, "attachment");
    expect(JSON.stringify(redactor.report())).not.toMatch(new RegExp(`${aws}|${github}|dana`));
  });

  test("is empty before anything is redacted", () => {
    expect(createRedactor({ level: "mask" }).report()).toEqual({ total: 0, byKind: {}, byPlace: {}, secrets: 0 });
  });
});

describe("a line after a long secret is not taken for the rest of it", () => {
  const LONG = "ghp_8sKq2LmZx9Vt4Rb7Nc3Wd6Yf1Hg5Jp0QaEuT";

  test.each([
    "GITHUB_USER=octo7",
    "PORT=3000",
    "REGION=eu-west-1",
    "node_modules",
    "python3",
    "make build2",
    "README.md",
    "npm run test:e2e",
    "DATABASE_URL=",
    "- user-service-2",
  ])("%s", (line) => {
    const text = `export PRODUCTION_GITHUB_TOKEN=${LONG}\n${line}\n`;
    expect(createRedactor({ level: "redact" }).text(text)).toBe(
      `export PRODUCTION_GITHUB_TOKEN=[REDACTED:github-token:1]\n${line}\n`,
    );
  });

  test("and each line of a file of settings keeps its name", () => {
    const names = [
      "GITHUB_TOKEN",
      "STRIPE_SECRET_KEY",
      "SENTRY_AUTH_TOKEN",
      "JWT_SIGNING_SECRET",
      "REDIS_URL_PASSWORD",
    ];
    const values = names.map((_, at) => `${"q7Xb2Lw9Zk4Tn8Vr3Mc6".repeat(3)}${at}aB`);
    const text = names.map((name, at) => `${name}=${values[at]}\nAPP_NAME_${at}=shop\n`).join("");
    const redacted = createRedactor({ level: "redact" }).text(text);
    expect(redacted.split("\n").map((line) => line.split("=")[0])).toEqual(
      text.split("\n").map((line) => line.split("=")[0]),
    );
    expect(values.filter((value) => redacted.includes(value))).toEqual([]);
    expect(redacted.match(/APP_NAME_\d=shop/g)).toHaveLength(names.length);
  });
});

test.each(["pk_live_", "pk_test_"])("a publishable key (%s…) stays, whatever its field is called", (prefix) => {
  const key = `${prefix}${"51HqY7Kd0aXz93LmTvQ2rBnW".repeat(2).slice(0, 34)}`;
  for (const name of ["publishableKey", "STRIPE_KEY", "api_key"]) {
    expect(createRedactor({ level: "mask" }).text(`"${name}": "${key}"`)).toBe(`"${name}": "${key}"`);
  }
});
