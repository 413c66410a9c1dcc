import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";
import { issuedSecrets } from "./planted-secrets.js";
import { ALPHANUMERIC, BASE64, seededRandom } from "./seeded-random.js";

const random = seededRandom(41);
const issued = new Map(issuedSecrets(41).map(({ kind, secret }) => [kind, secret]));
const secret = (kind: string) => issued.get(kind) ?? "";
const uuid = random.uuid();
const parentUuid = random.uuid();
const signature = `EqoB${random.text(BASE64, 120)}=`;
const image = `iVBORw0KGgo${random.text(BASE64, 120)}`;
const sessionKey = random.text(ALPHANUMERIC, 32);

interface Secrets {
  readonly github: string;
  readonly anthropic: string;
  readonly stripe: string;
  readonly aws: string;
  readonly secret: string;
  readonly password: string;
  readonly urlPassword: string;
  readonly home: string;
}

/** One record with a secret in every field where sessions have them. */
const recordWith = ({ github, anthropic, stripe, aws, secret, password, urlPassword, home }: Secrets) => ({
  type: "user",
  uuid,
  parentUuid,
  sessionId: uuid,
  cwd: `${home}/shop`,
  version: "2.1.325",
  gitBranch: "main",
  message: {
    role: "assistant",
    id: "msg_01AbCdEfGhIjKlMnOpQrStUv",
    model: "claude-x",
    content: [
      { type: "thinking", thinking: `They gave me ${github}.`, signature },
      { type: "text", text: `Use ${anthropic} as the key.` },
      {
        type: "tool_use",
        id: "toolu_01AbCdEfGhIjKlMnOpQrStUv",
        name: "Bash",
        input: { command: `STRIPE=${stripe} npm start` },
      },
      {
        type: "tool_result",
        tool_use_id: "toolu_01AbCdEfGhIjKlMnOpQrStUv",
        content: [{ type: "text", text: `id ${aws}` }],
      },
      { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
    ],
    usage: { input_tokens: 12, output_tokens: 34 },
  },
  toolUseResult: {
    stdout: `{\n  \\"sessionSecret\\": \\"${secret}\\"\n}`,
    stderr: "",
    interrupted: false,
    originalFile: `DATABASE_URL=postgres://shop:${urlPassword}@db/shop\n`,
    structuredPatch: [
      { oldStart: 1, oldLines: 1, lines: [" A=1", `-DB_PASSWORD=${password}`, "+DB_PASSWORD=changeme"] },
    ],
  },
  attachment: {
    type: "file",
    filename: `${home}/shop/.env`,
    content: { file: { content: `password: '${password}'\n` } },
  },
  snapshot: { trackedFileBackups: { [`${home}/shop/.env`]: { backupFileName: "0123456789abcdef@v2", version: 2 } } },
});

const planted: Secrets = {
  github: secret("github-token"),
  anthropic: secret("anthropic-key"),
  stripe: secret("stripe-key"),
  aws: secret("aws-key"),
  secret: sessionKey,
  password: "Tr0ub4dor&3",
  urlPassword: "s3cr3t-Pw",
  home: "/home/dana",
};

const redacted: Secrets = {
  github: "[REDACTED:github-token:1]",
  anthropic: "[REDACTED:anthropic-key:1]",
  stripe: "[REDACTED:stripe-key:1]",
  aws: "[REDACTED:aws-key:1]",
  secret: "[REDACTED:secret:1]",
  password: "[REDACTED:password:1]",
  urlPassword: "[REDACTED:url-password:1]",
  home: "~",
};

describe("a whole record", () => {
  test("loses its secrets and nothing else", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dana" });
    expect(redactor.json(recordWith(planted), "record")).toEqual(recordWith(redacted));
  });

  test("keeps the order of its keys", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dana" });
    expect(JSON.stringify(redactor.json(recordWith(planted)))).toBe(JSON.stringify(recordWith(redacted)));
  });

  test("as a line of text loses the same secrets and stays a record", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dana" });
    expect(JSON.parse(redactor.text(JSON.stringify(recordWith(planted))))).toEqual(recordWith(redacted));
  });

  test("reports what it lost", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dana" });
    redactor.json(recordWith(planted), "record");
    expect(redactor.report()).toMatchObject({
      total: 11,
      byKind: { home: 3, password: 2 },
      byPlace: { record: { home: 3 } },
    });
  });
});
