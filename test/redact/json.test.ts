import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { issuedSecrets } from "./planted-secrets.js";
import { ALPHANUMERIC, BASE64, HEX, seededRandom } from "./seeded-random.js";

const random = seededRandom(21);
const aws = issuedSecrets(21).find(({ kind }) => kind === "aws-key")?.secret ?? "";
const apiKey = random.text(ALPHANUMERIC, 32);

const redact = <Value>(value: Value) =>
  createRedactor({ level: "redact", home: "/home/dana", user: "dana" }).json(value);

describe("JSON values", () => {
  test("are redacted by the names of their fields", () => {
    const value = { api_key: apiKey, nested: { "db-password": "hunter2x" }, passwords: ["Zx9!kLm22", "changeme"] };
    expect(redact(value)).toEqual({
      api_key: "[REDACTED:secret:1]",
      nested: { "db-password": "[REDACTED:password:1]" },
      passwords: ["[REDACTED:password:2]", "changeme"],
    });
  });

  test("are redacted by a name that stands in a field beside the value", () => {
    const env = [
      { name: "API_KEY", value: apiKey },
      { name: "REGION", value: apiKey.slice(0, 12) },
    ];
    expect(redact(env)).toEqual([{ name: "API_KEY", value: "[REDACTED:secret:1]" }, env[1]]);
  });

  test("are redacted by a name that stands around the value", () => {
    expect(redact({ password: { value: "hunter2x", type: "string" }, theme: { value: "winter4y" } })).toEqual({
      password: { value: "[REDACTED:password:1]", type: "string" },
      theme: { value: "winter4y" },
    });
  });

  test("are redacted by the flag before them in a list of arguments", () => {
    expect(redact(["login", "--password", "hunter2x", "--user", "erin"])).toEqual([
      "login",
      "--password",
      "[REDACTED:password:1]",
      "--user",
      "erin",
    ]);
  });

  test("are redacted by the shapes in which services write them", () => {
    const uuid = random.uuid();
    const hex = random.text(HEX, 40);
    expect(
      redact({
        vault: { role_id: "web", secret_id: uuid },
        numeric: { password: 48291734, attempts: 123456 },
        headers: { Cookie: `sid=${hex}; theme=dark`, "DD-APPLICATION-KEY": hex },
        pairs: [
          ["accept", "*/*"],
          ["x-api-key", hex],
        ],
        list: [{ value: hex, name: "X-Auth-Token" }],
        jar: { name: "sessionid", value: uuid, domain: ".example.org" },
        output: { value: hex, sensitive: true },
        secret: { kind: "Secret", metadata: { name: "web" }, data: { "shop.conf": apiKey } },
        state: { type: "random_password", instances: [{ attributes: { length: 12, result: "Zx9!kLm22" } }] },
      }),
    ).toEqual({
      vault: { role_id: "web", secret_id: "[REDACTED:vault-secret:1]" },
      numeric: { password: "[REDACTED:password:1]", attempts: 123456 },
      headers: { Cookie: "sid=[REDACTED:cookie:1]; theme=dark", "DD-APPLICATION-KEY": "[REDACTED:cookie:1]" },
      pairs: [
        ["accept", "*/*"],
        ["x-api-key", "[REDACTED:cookie:1]"],
      ],
      list: [{ value: "[REDACTED:cookie:1]", name: "X-Auth-Token" }],
      jar: { name: "sessionid", value: "[REDACTED:vault-secret:1]", domain: ".example.org" },
      output: { value: "[REDACTED:cookie:1]", sensitive: true },
      secret: { kind: "Secret", metadata: { name: "web" }, data: { "shop.conf": "[REDACTED:secret:1]" } },
      state: { type: "random_password", instances: [{ attributes: { length: 12, result: "[REDACTED:password:2]" } }] },
    });
  });

  test("keep the order of their keys, their types and what is no string", () => {
    const value = { z: 1, a: [true, null, { y: aws, b: -0.5 }], "10": "x", m: "" };
    const redacted = redact(value);
    expect(JSON.stringify(redacted)).toBe(JSON.stringify(value).replace(aws, "[REDACTED:aws-key:1]"));
  });

  test("are written as JSON.stringify does, whatever they hold", () => {
    const key = ["-----BEGIN RSA PRIVATE KEY-----", random.text(BASE64, 64), "-----END RSA PRIVATE KEY-----"];
    const value = {
      none: undefined,
      list: [undefined, Number.NaN, () => 1],
      "10": 1,
      "é\n": "\u2028\ud800",
      key,
      [aws]: aws,
      [`${aws} `]: [],
    };
    const text = createRedactor({ level: "mask" }).stringify(value);
    expect(text).toBe(JSON.stringify(createRedactor({ level: "mask" }).json(value)));
    expect(text).toContain('"list":[null,null,null]');
    expect(text).not.toContain(aws);
  });

  test("are copied, not changed", () => {
    const value = { list: [aws] };
    redact(value);
    expect(value).toEqual({ list: [aws] });
  });

  test("keep a key named __proto__ as a key", () => {
    const redacted = redact(JSON.parse(`{"__proto__":{"password":"hunter2x"},"a":1}`));
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"password":"[REDACTED:password:1]"},"a":1}');
  });

  test("of text that is JSON, or lines of it, are redacted at every depth of escaping", () => {
    const deep = JSON.stringify({ token: apiKey });
    const value = { jsonl: `${deep}\n${JSON.stringify({ log: deep })}\n`, twice: JSON.stringify(JSON.stringify(deep)) };
    expect(JSON.stringify(redact(value))).not.toContain(apiKey);
    expect(JSON.parse(JSON.parse(JSON.parse(redact(value).twice)))).toEqual({ token: "[REDACTED:secret:1]" });
  });
});

describe("fields that must stay", () => {
  const uuid = random.uuid();

  test.each([
    ["uuid", uuid],
    ["parentUuid", uuid],
    ["sessionId", "dana"],
    ["session_id", uuid],
    ["tool_use_id", `toolu_01${random.text(ALPHANUMERIC, 22)}`],
    ["requestId", `req_011${random.text(ALPHANUMERIC, 21)}`],
    ["promptId", uuid],
    ["toolUseID", `call_${random.text(ALPHANUMERIC, 24)}`],
    ["sourceToolAssistantUUID", uuid],
    ["id", `msg_01${random.text(ALPHANUMERIC, 22)}`],
    ["requestDigest", random.text(HEX, 64)],
    ["shapeHash", random.text(HEX, 64)],
    ["type", "dana"],
    ["model", "claude-dana-4-5"],
    ["timestamp", "2026-05-01T09:00:00.000Z"],
    ["signature", `EqoB${random.text(BASE64, 400)}=`],
  ])("%s", (key, value) => {
    expect(redact({ [key]: value })).toEqual({ [key]: value });
  });

  test("the data of images, and of thinking that nobody may read", () => {
    const data = `${random.text(BASE64, 200)}AKIA/${aws}+${random.text(BASE64, 199)}`;
    const value = [
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      { type: "image", file: { base64: data, type: "image/png", originalSize: 1 } },
      { type: "redacted_thinking", data },
    ];
    expect(redact(value)).toEqual(value);
  });

  test("but not a secret that hides in one", () => {
    expect(redact({ AccessKeyId: aws, data: `token=${apiKey}` })).toEqual({
      AccessKeyId: "[REDACTED:aws-key:1]",
      data: "token=[REDACTED:secret:1]",
    });
  });
});
