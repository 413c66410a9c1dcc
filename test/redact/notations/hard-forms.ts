/** A secret that is encoded, broken into pieces or drawn. `secret` is what must be gone, in the form that it has there. */
export interface HardText {
  readonly text: string;
  /** None of these may be left. */
  readonly secrets: readonly string[];
}

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
const hex = (text: string) => Buffer.from(text, "latin1").toString("hex");
const middle = (value: string) => Math.floor(value.length / 2);
const halves = (value: string) => [value.slice(0, middle(value)), value.slice(middle(value))] as const;
const wrap = (text: string, width: number) => text.match(new RegExp(`[^]{1,${width}}`, "g")) ?? [];

function encoded(text: string): HardText & { readonly code: string } {
  const code = base64(text);
  return { text: code, code, secrets: [code] };
}

function inDump(text: string, toLine: (bytes: string, offset: number) => string): HardText {
  const lines = wrap(text, 16).map((bytes, index) => toLine(bytes, index * 16));
  return { text: lines.join("\n"), secrets: [] };
}

const pairs = (bytes: string, size: number) => (hex(bytes).match(new RegExp(`.{1,${size}}`, "g")) ?? []).join(" ");
const offsetOf = (offset: number) => offset.toString(16).padStart(8, "0");
const printable = (bytes: string) => bytes.replace(/[^\x20-\x7e]/g, ".");

/** The lines of a dump that hold a part of the value, without their offsets. */
function dumped(content: string, value: string, toLine: (bytes: string, offset: number) => string): HardText {
  const { text } = inDump(content, toLine);
  const from = Math.floor(content.indexOf(value) / 16);
  const to = Math.floor((content.indexOf(value) + value.length - 1) / 16);
  return { text, secrets: text.split("\n").slice(from, to + 1) };
}

const xxd = (bytes: string, offset: number) => `${offsetOf(offset)}: ${pairs(bytes, 4).padEnd(40)} ${printable(bytes)}`;
const hexdump = (bytes: string, offset: number) =>
  `${offsetOf(offset)}  ${pairs(bytes.slice(0, 8), 2).padEnd(24)} ${pairs(bytes.slice(8), 2).padEnd(24)} |${printable(bytes)}|`;

const broken = (first: string, second: string, text: string): HardText => ({ text, secrets: [first, second] });

type Hide = (name: string, value: string) => HardText;

/** Each function hides a value with the name of its variable. */
export const HARD_FORMS: Readonly<Record<string, Hide>> = {
  "an env file in base64": (name, value) => encoded(`REGION=eu-west-1\n${name}=${value}\nPORT=3000\n`),
  "JSON in base64": (name, value) => {
    const { code } = encoded(JSON.stringify({ region: "eu", [name.toLowerCase()]: value }));
    return { text: `echo ${code} | base64 -d`, secrets: [code] };
  },
  "base64 in lines of 76": (name, value) => {
    const lines = wrap(base64(`# settings of the shop, production\nREGION=eu\n${name}=${value}\nPORT=3000\n`), 76);
    return { text: lines.join("\n"), secrets: lines };
  },
  "a Secret of Kubernetes": (name, value) => {
    const code = base64(value);
    return {
      text: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: web\ntype: Opaque\ndata:\n  ${name.toLowerCase()}: ${code}\n`,
      secrets: [code],
    };
  },
  "a Secret of Kubernetes with another key": (_, value) => {
    const code = base64(value);
    return {
      text: `apiVersion: v1\ndata:\n  shop.conf: ${code}\nkind: Secret\nmetadata:\n  name: web\n`,
      secrets: [code],
    };
  },
  "the auth of a Docker configuration": (_, value) => {
    const code = base64(`dana:${value}`);
    return { text: `{"auths": {"registry.example.org": {"auth": "${code}"}}}`, secrets: [code] };
  },
  "a URL in a URL": (_, value) => {
    const code = encodeURIComponent(value);
    return {
      text: `?next=${encodeURIComponent(`https://x.example.org/?access_token=`)}${code}%26page%3D2`,
      secrets: [code],
    };
  },
  "a connection in a URL": (_, value) => {
    const code = encodeURIComponent(encodeURI(value));
    const url = encodeURIComponent("postgres://app:");
    return { text: `open?url=${url}${code}%40db.example.org%3A5432%2Fshop`, secrets: [code] };
  },
  "hexadecimal digits": (name, value) => {
    const code = hex(`${name}=${value}`);
    return { text: `payload ${code} sent`, secrets: [code] };
  },
  "a continued line": (name, value) => {
    const [first, second] = halves(value);
    return broken(first, second, `export ${name}=${first}\\\n${second}\n`);
  },
  "an option on a continued line": (name, value) => ({
    text: `deploy --region eu \\\n  --${name.toLowerCase().replaceAll("_", "-")} \\\n  ${value} \\\n  --force`,
    secrets: [value],
  }),
  "a line broken at 80 columns": (name, value) => {
    const [first, second] = halves(value);
    const words = "the deployment of the shop runs in eu-west-1 with these settings of production: ".repeat(2);
    return broken(
      first,
      second,
      `${words.slice(0, 80 - first.length - name.length - 2)} ${name}=${first}\n${second} and\n`,
    );
  },
  "joined strings of JavaScript": (name, value) => {
    const [first, second] = halves(value);
    return broken(first, second, `const ${name} = "${first}" + "${second}";`);
  },
  "joined strings over lines": (name, value) => {
    const [first, second] = halves(value);
    return broken(first, second, `const ${name} =\n  "${first}" +\n  "${second}";`);
  },
  "joined strings of PHP": (name, value) => {
    const [first, second] = halves(value);
    return broken(first, second, `$${name.toLowerCase()} = '${first}' . '${second}';`);
  },
  "adjacent strings of Python": (name, value) => {
    const [first, second] = halves(value);
    return broken(first, second, `${name} = (\n    "${first}"\n    "${second}"\n)`);
  },
  "a Markdown table": (name, value) => ({
    text: `| Variable | Value | Notes |\n|---|---|---|\n| REGION | eu | |\n| ${name} | \`${value}\` | rotate it |\n`,
    secrets: [value],
  }),
  "a column of a Markdown table": (name, value) => ({
    text: `| Host | ${name} |\n|:-----|------:|\n| a.example.org | ${value} |\n`,
    secrets: [value],
  }),
  CSV: (name, value) => ({ text: `id,${name.toLowerCase()},region\n1,${value},eu\n2,,us\n`, secrets: [value] }),
  "a dump of xxd": (name, value) => dumped(`REGION=eu\n${name}=${value}\nPORT=3000\n`, value, xxd),
  "a dump of hexdump -C": (name, value) => dumped(`REGION=eu\n${name}=${value}\nPORT=3000\n`, value, hexdump),
  "an output of tfstate": (name, value) => ({
    text: JSON.stringify({ outputs: { [name.toLowerCase()]: { value, type: "string", sensitive: true } } }, null, 2),
    secrets: [value],
  }),
  "a sensitive output of tfstate": (_, value) => ({
    text: JSON.stringify({ outputs: { connection: { value, type: "string", sensitive: true } } }, null, 2),
    secrets: [value],
  }),
  "a random_password of tfstate": (_, value) => ({
    text: JSON.stringify(
      {
        resources: [
          { type: "random_password", name: "db", instances: [{ attributes: { length: 24, result: value } }] },
        ],
      },
      null,
      2,
    ),
    secrets: [value],
  }),
  "a diff": (name, value) => ({
    text: `--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n REGION=eu\n-${name}=old\n+${name}=${value}\n`,
    secrets: [value],
  }),
  "JSON in JSON in JSON": (name, value) => ({
    text: JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: value, port: 1 }) }) }),
    secrets: [value],
  }),
  "cat -n": (name, value) => ({
    text: `     1\tREGION=eu\n     2\t${name}=${value}\n     3\tPORT=1`,
    secrets: [value],
  }),
  "the Read tool": (name, value) => ({
    text: `     1→REGION=eu\n     2→${name}=${value}\n     3→PORT=1`,
    secrets: [value],
  }),
  "grep -n": (name, value) => ({ text: `src/.env:2:${name}=${value}`, secrets: [value] }),
};
