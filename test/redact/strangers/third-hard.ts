import type { Hide } from "./read-strangers.js";

const b64 = (t: string) => Buffer.from(t).toString("base64");
const b64u = (t: string) => Buffer.from(t).toString("base64url");
const hex = (t: string) => Buffer.from(t).toString("hex");
const u16 = (t: string) => Buffer.from(t, "utf16le").toString("base64");
const js = JSON.stringify;
const pct = (t: string) => [...Buffer.from(t)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, "0")}`).join("");
const half = (t: string) => [t.slice(0, Math.ceil(t.length / 2)), t.slice(Math.ceil(t.length / 2))];
const cut = (t: string, n: number) => t.match(new RegExp(`[^]{1,${n}}`, "g")) ?? [];
const xxd = (t: string) => {
  const buf = Buffer.from(t);
  let out = "";
  for (let i = 0; i < buf.length; i += 16) {
    const s = buf.subarray(i, i + 16);
    out += `${i.toString(16).padStart(8, "0")}: ${(s.toString("hex").match(/.{1,4}/g) ?? []).join(" ").padEnd(40)} ${s.toString("latin1").replace(/[^ -~]/g, ".")}\n`;
  }
  return out;
};
const hexdumpC = (t: string) => {
  const buf = Buffer.from(t);
  let out = "";
  for (let i = 0; i < buf.length; i += 16) {
    const s = buf.subarray(i, i + 16);
    out += `${i.toString(16).padStart(8, "0")}  ${[...s]
      .map((b) => b.toString(16).padStart(2, "0"))
      .join(" ")
      .padEnd(49)} |${s.toString("latin1").replace(/[^ -~]/g, ".")}|\n`;
  }
  return out;
};
/** Written down before the rules for them. */
export const THIRD_HARD: readonly Hide[] = [
  (v) => {
    const x = b64(v.P);
    return [`kind: Secret\ndata:\n  password: ${x}`, [x]];
  },
  (v) => {
    const x = b64(v.T);
    return [`apiVersion: v1\nkind: Secret\nmetadata:\n  name: api\ntype: Opaque\ndata:\n  STRIPE_KEY: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`admin:${v.P}`);
    return [`Authorization: Basic ${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(`password=${v.P}`));
    return [`echo ${x} | base64 -d | base64 -d`, [x]];
  },
  (v) => {
    const x = b64(b64(`{"db":{"user":"app","password":"${v.R}"}}`));
    return [`payload: ${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(v.P));
    return [`DB_PASSWORD_B64=${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(`API_TOKEN=${v.T}\nSTAGE=prod\n`));
    return [`userdata = "${x}"`, [x]];
  },
  (v) => {
    const x = u16(`$pw = "${v.P}"; Connect-Server -Password $pw`);
    return [`powershell -EncodedCommand ${x}`, [x]];
  },
  (v) => {
    const x = u16(`net user admin ${v.P} /add`);
    return [`powershell.exe -nop -enc ${x}`, [x]];
  },
  (v) => {
    const x = u16(`$env:API_TOKEN='${v.T}'`);
    return [`pwsh -e ${x}`, [x]];
  },
  (v) => {
    const x = u16(v.P);
    return [`<Password><Value>${x}</Value><PlainText>false</PlainText></Password>`, [x]];
  },
  (v) => {
    const x = b64(`#!/bin/bash\nexport DB_PASSWORD=${v.P}\napt-get update\n`);
    return [`user_data: ${x}`, [x]];
  },
  (v) => {
    const x = b64(js({ auths: { "r.io": { username: "ci", password: v.P } } }));
    return [`.dockerconfigjson: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`postgres://app:${v.P}@db:5432/x`);
    return [`DATABASE_URL_BASE64=${x}`, [x]];
  },
  (v) => {
    const x = `${b64u(js({ alg: "none" }))}.${b64u(js({ password: v.P }))}.`;
    return [`t=${x}`, [b64u(js({ password: v.P }))]];
  },
  (v) => {
    const x = b64(`-----BEGIN RSA PRIVATE KEY-----\n${v.B}\n${v.B}\n-----END RSA PRIVATE KEY-----\n`);
    return [`TLS_KEY_B64=${x}`, [x]];
  },
  (v) => {
    const x = b64(`-----BEGIN OPENSSH PRIVATE KEY-----\n${v.B}${v.B}\n-----END OPENSSH PRIVATE KEY-----\n`);
    return [`key: "${x}"`, [x]];
  },
  (v) => {
    const x = pct(v.R);
    return [`https://x.org/login?user=ann&password=${x}`, [x]];
  },
  (v) => {
    const x = encodeURIComponent(js({ token: v.T }));
    return [`GET /cb?state=${x} HTTP/1.1`, [v.T]];
  },
  (v) => {
    const x = encodeURIComponent(`https://ann:${v.P}@git.x.org/a.git`);
    return [`redirect=${x}`, [v.P]];
  },
  (v) => {
    const x = encodeURIComponent(encodeURIComponent(`access_token=${v.T}&x=1`));
    return [`/r?u=${x}`, [v.T]];
  },
  (v) => [`curl -d 'grant_type=password%26username%3Dann%26password%3D${v.R}' https://x.org`, [v.R]],
  (v) => {
    const x = hex(`password=${v.P}`);
    return [`hex: ${x}`, [x]];
  },
  (v) => {
    const x = hex(`export TOKEN=${v.T}`);
    return [`echo ${x} | xxd -r -p`, [x]];
  },
  (v) => {
    const x = hex(v.P);
    return [`SELECT 0x${x} AS password`, [x]];
  },
  (v) => {
    const x = xxd(`password=${v.P}\nuser=ann\n`);
    return [x, [v.P]];
  },
  (v) => {
    const t = `api_token: ${v.T}\nstage: prod\n`;
    const x = xxd(t);
    return [`$ xxd config\n${x}`, [x.split("\n")[1]]];
  },
  (v) => {
    const t = `DB_PASSWORD=${v.R}\n`;
    const x = hexdumpC(t);
    return [`$ hexdump -C .env\n${x}`, [x.split("\n")[0]?.slice(45, 57)]];
  },
  (v) => {
    const t = `[client]\nuser=root\npassword=${v.R}\n`;
    const x = hexdumpC(t);
    return [x, [x.split("\n")[1]?.slice(30)]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`API_TOKEN=${a}\\\n${b}`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.R);
    return [`mysql -u root --password=${a}\\\n${b} shop`, [a, b]];
  },
  (v) => [`curl https://x.org \\\n  -u ann:${v.P} \\\n  -o out`, [v.P]],
  (v) => [`docker run \\\n  -e \\\n  DB_PASSWORD=${v.P} \\\n  web`, [v.P]],
  (v) => [`mytool login --password \\\n  ${v.P} \\\n  --user ann`, [v.P]],
  (v) => {
    const [a, b] = half(v.T);
    return [`const apiKey = "${a}" + "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`String token = "${a}"\n    + "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`api_key = ("${a}"\n           "${b}")`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`$secret = '${a}' . '${b}';`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`local token = "${a}" .. "${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`Const API_TOKEN = "${a}" & _\n  "${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`const token = ["${a}", "${b}"].join("");`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`token="${a}"\ntoken+="${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`#define TOKEN "${a}" \\\n  "${b}"`, [a, b]];
  },
  (v) => {
    const r = [...v.T].reverse().join("");
    return [`secret = "${r}"[::-1]`, [r]];
  },
  (v) => {
    const cs = [...v.T.slice(0, 12)].map((c) => `'${c}'`).join(", ");
    return [`char password[] = {${cs}};`, [cs]];
  },
  (v) => {
    const bs = [...Buffer.from(v.P)].join(", ");
    return [`byte[] password = new byte[] { ${bs} };`, [bs]];
  },
  (v) => {
    const bs = [...Buffer.from(v.T)].map((x) => `0x${x.toString(16)}`).join(", ");
    return [`const uint8_t api_key[] = {${bs}};`, [bs]];
  },
  (v) => {
    const bs = [...Buffer.from(v.P)].map((x) => `\\x${x.toString(16)}`).join("");
    return [`password = b"${bs}"`, [bs]];
  },
  (v) => {
    const bs = [...v.P].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("");
    return [`{"password":"${bs}"}`, [bs]];
  },
  (v) => {
    const bs = [...v.P].map((c) => `&#${c.charCodeAt(0)};`).join("");
    return [`<password>${bs}</password>`, [bs]];
  },
  (v) => [`config: |\n  {"db": {"password": "${v.P}"}}`, [v.P]],
  (v) => [js({ body: js({ password: v.P, user: "ann" }) }), [v.P]],
  (v) => [js({ a: js({ b: js({ token: v.T }) }) }), [v.T]],
  (v) => [js({ log: `Sending {\\"apiKey\\":\\"${v.T}\\"}` }), [v.T]],
  (v) => [`curl -d "{\\"username\\":\\"ann\\",\\"password\\":\\"${v.P}\\"}" https://x.org/login`, [v.P]],
  (v) => [`INFO body="{\\"client_secret\\":\\"${v.T}\\",\\"x\\":1}"`, [v.T]],
  (v) => [`SecretString: "{\\"username\\":\\"app\\",\\"password\\":\\"${v.P}\\",\\"port\\":5432}"`, [v.P]],
  (v) => [
    js({ ARN: "arn:aws:x", Name: "prod/db", SecretString: js({ username: "app", password: v.P }) }, null, 2),
    [v.P],
  ],
  (v) => [
    `{"type":"random_password","name":"db","instances":[{"attributes":{"length":16,"result":"${v.R}","special":true}}]}`,
    [v.R],
  ],
  (v) => [
    `"resources": [{"type": "aws_db_instance", "instances": [{"attributes": {"username": "app", "password": "${v.P}", "port": 5432}}]}]`,
    [v.P],
  ],
  (v) => [
    `"outputs": {\n  "admin_token": {\n    "value": "${v.T}",\n    "type": "string",\n    "sensitive": true\n  }\n}`,
    [v.T],
  ],
  (v) => [
    `{"type":"aws_iam_access_key","instances":[{"attributes":{"id":"AKIAQWERTY","secret":"${v.B.slice(0, 40)}","ses_smtp_password_v4":"${v.T}"}}]}`,
    [v.B.slice(0, 40), v.T],
  ],
  (v) => [`+ resource "random_password" "db" {\n+   result = "${v.R}"\n+ }`, [v.R]],
  (v) => [`-  password: ${v.P}\n+  password: $DB_PASS`, [v.P]],
  (v) => [`@@ -1 +1 @@\n-API_KEY=${v.T}\n+API_KEY=`, [v.T]],
  (v) => [`  12→DB_PASSWORD=${v.P}\n  13→DB_HOST=x`, [v.P]],
  (v) => [`.env:3:SMTP_PASSWORD=${v.P}`, [v.P]],
  (v) => [`config/prod.yml-12-  password: ${v.P}`, [v.P]],
  (v) => [`\u001b[32mpassword\u001b[0m: \u001b[33m${v.P}\u001b[0m`, [v.P]],
  (v) => {
    const [a, b] = half(v.T);
    return [`token: \u001b[1m${a}\u001b[0m\u001b[1m${b}\u001b[0m`, [a, b]];
  },
  (v) => {
    const long = `eyJhbGciOiJIUzI1NiJ9.${v.T}${v.T}${v.T}.${v.B}`.replace(/[+/=]/g, "x");
    const ls = cut(long, 60);
    return [`token: ${ls.join("\n")}`, ls.slice(0, 2)];
  },
  (v) => {
    const t = `sk-ant-api03-${(v.T + v.T + v.T).slice(0, 93)}AA`;
    const [a, b] = [t.slice(0, 66), t.slice(66)];
    return [`│ export ANTHROPIC_API_KEY=${a} │\n│ ${b.padEnd(90)} │`, [a, b]];
  },
  (v) => {
    const t = `ghp_${v.T}ab`;
    const [a, b] = half(t);
    return [`remote: https://${a}\n${b}@github.com/acme/web`, [b]];
  },
  (v) => {
    const key = v.B + v.B + v.B;
    const ls = cut(key, 32);
    return [`-----BEGIN PRIVATE KEY-----\\n${ls.join("\\n")}\\n-----END PRIVATE KEY-----`, ls.slice(0, 3)];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `> -----BEGIN RSA PRIVATE KEY-----\n${ls.map((l) => `> ${l}`).join("\n")}\n> -----END RSA PRIVATE KEY-----`,
      ls.slice(0, 2),
    ];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `key = """-----BEGIN RSA PRIVATE KEY-----\n${ls.map((l) => `    ${l}`).join("\n")}\n    -----END RSA PRIVATE KEY-----"""`,
      ls.slice(0, 2),
    ];
  },
  (v) => [`password: >-\n  ${v.P}\nuser: ann`, [v.P]],
  (v) => [`api:\n  token: |\n    ${v.T}\n  url: x`, [v.T]],
  (v) => [`secret:\n- ${v.T}`, [v.T]],
  (v) => [`<password>\n  ${v.P}\n</password>`, [v.P]],
  (v) => [`<password><![CDATA[${v.P}]]></password>`, [v.P]],
  (v) => [`"password"\n:\n"${v.P}"`, [v.P]],
  (v) => [`const config = {\n  password:\n    "${v.P}",\n};`, [v.P]],
  (v) => [`password = \\\n    "${v.P}"`, [v.P]],
  (v) => [`What's the db password?\n${v.P}`, [v.P]],
  (v) => [`Enter password: ${v.P}\nOK`, [v.P]],
  (v) => [`> password for ann?\n> it's ${v.P}`, [v.P]],
  (v) => [`I tried ${v.T} first.\nLater I saw the file: API_TOKEN=${v.T}`, [v.T]],
  (v) => [`$ cat token\n${v.T}`, [v.T]],
  (v) => [`$ echo $DB_PASSWORD\n${v.P}`, [v.P]],
  (v) => [`$ vault kv get -field=password secret/db\n${v.P}`, [v.P]],
  (v) => [`$ pass show web/admin\n${v.P}`, [v.P]],
  (v) => [`$ openssl rand -hex 16\n${v.X.slice(0, 32)}`, [v.X.slice(0, 32)]],
  (v) => [`++ PASSWORD=${v.P}\n++ curl -u ann x`, [v.P]],
  (v) => [`+ docker login -u ci -p ${v.P} r.io`, [v.P]],
  (v) => [`SQL: INSERT INTO users (name, password, role) VALUES ('ann', '${v.P}', 'admin')`, [v.P]],
  (v) => [`COPY users (id, name, api_key) FROM stdin;\n1\tann\t${v.T}\n\\.`, [v.T]],
  (v) => [`{"headers":[{"name":"Authorization","value":"Bearer ${v.T}"},{"name":"Accept","value":"*/*"}]}`, [v.T]],
  (v) => [`{"Name":"/prod/db/password","Type":"SecureString","Value":"${v.P}"}`, [v.P]],
  (v) => [`{"key":"DB_PASSWORD","value":"${v.P}","type":"encrypted"}`, [v.P]],
  (v) => [`"DB_PASSWORD" => "${v.P}",`, [v.P]],
  (v) => [`[('password', '${v.P}'), ('user', 'ann')]`, [v.P]],
  (v) => [`User(name='ann', password='${v.P}')`, [v.P]],
  (v) => [`Config { host: "db", password: Some("${v.P}") }`, [v.P]],
  (v) => [`map[password:${v.P} user:ann]`, [v.P]],
  (v) => [`{:user "ann", :password "${v.P}"}`, [v.P]],
  (v) => [`a:2:{s:4:"user";s:3:"ann";s:8:"password";s:${v.P.length}:"${v.P}";}`, [v.P]],
  (v) => [`cmd.exe /c "set TOKEN=${v.T}&& deploy"`, [v.T]],
  (v) => [`ssh host "export DB_PASS='${v.P}'; ./run"`, [v.P]],
  (v) => [`bash -c "mysql -uroot -p'${v.P}' -e 'select 1'"`, [v.P]],
  (v) => [`["mysql", "-u", "root", "-p${v.P}", "shop"]`, [v.P]],
  (v) => [`["--password", "${v.P}", "--user", "ann"]`, [v.P]],
  (v) => [`command: ["redis-server", "--requirepass", "${v.P}"]`, [v.P]],
];
