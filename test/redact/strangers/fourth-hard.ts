import type { Hide } from "./read-strangers.js";

const b64 = (t: string) => Buffer.from(t).toString("base64");
const hex = (t: string) => Buffer.from(t).toString("hex");
const u16 = (t: string) => Buffer.from(t, "utf16le").toString("base64");
const js = JSON.stringify;
const cut = (t: string, n: number) => t.match(new RegExp(`[^]{1,${n}}`, "g")) ?? [];
const half = (t: string) => [t.slice(0, Math.ceil(t.length / 2)), t.slice(Math.ceil(t.length / 2))];
const all = (t: string) => [...t].map((c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).join("");
const od = (t: string) =>
  cut(hex(t), 32)
    .map((l, i) => `${(i * 16).toString(8).padStart(7, "0")} ${cut(l, 2).join(" ")}`)
    .join("\n");
const dump = (t: string) =>
  cut(hex(t), 32)
    .map(
      (l, i) =>
        `${(i * 16).toString(16).padStart(8, "0")}: ${cut(l, 4).join(" ")}  ${Buffer.from(l, "hex").toString("latin1")}`,
    )
    .join("\n");
/** Written down before the rules for them. */
export const FOURTH_HARD: readonly Hide[] = [
  (v) => {
    const x = b64(`user=ann;password=${v.P}`);
    return [`X-Auth: ${x}`, [x]];
  },
  (v) => {
    const x = b64(js({ user: "ann", api_key: v.T }));
    return [`eventData=${x}`, [x]];
  },
  (v) => {
    const x = b64(v.R);
    return [`apiVersion: v1\ndata:\n  db-password: ${x}\nkind: Secret`, [x]];
  },
  (v) => {
    const x = b64(`DB_PASS=${v.P}\nDB_HOST=db\n`);
    return [`ENV_FILE: ${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(`token: ${v.T}`));
    return [`blob=${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(b64(`password=${v.P}`)));
    return [`x = "${x}"`, [x]];
  },
  (v) => {
    const x = u16(`$cred = "ann:${v.P}"; $password = "${v.P}"`);
    return [`powershell -e ${x}`, [x]];
  },
  (v) => {
    const x = u16(`Set-Item env:API_KEY ${v.T}`);
    return [`-EncodedCommand "${x}"`, [x]];
  },
  (v) => {
    const x = b64(`machine github.com login ann password ${v.P}`);
    return [`NETRC_B64=${x}`, [x]];
  },
  (v) => {
    const x = b64(`//registry.npmjs.org/:_authToken=npm_${v.T}ab\n`);
    return [`NPMRC: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`apiVersion: v1\nusers:\n- user:\n    token: ${v.T}\n`);
    return [`KUBECONFIG_DATA=${x}`, [x]];
  },
  (v) => {
    const x = b64(`#cloud-config\nchpasswd:\n  list: |\n    root:${v.P}\npassword: ${v.R}\n`);
    return [`"UserData": "${x}"`, [x]];
  },
  (v) => {
    const x = b64(`ann:${v.R}`);
    return [`headers = {"Authorization": "Basic ${x}"}`, [x]];
  },
  (v) => {
    const x = b64(`\0ann\0${v.R}`);
    return [`AUTH PLAIN ${x}`, [x]];
  },
  (v) => {
    const x = b64(v.P);
    return [`AUTH LOGIN\n334 VXNlcm5hbWU6\nYW5uQGFjbWUuZGV2\n334 UGFzc3dvcmQ6\n${x}\n235 ok`, [x]];
  },
  (v) => {
    const x = cut(
      b64(`aws_access_key_id=AKIAABCDEFGHIJKLMNOP\naws_secret_access_key=${v.B.slice(0, 40)}\nregion=eu\n`),
      60,
    );
    return [`begin-base64 600 creds\n${x.join("\n")}\n====`, x.slice(0, 2)];
  },
  (v) => {
    const x = hex(`{"password":"${v.P}"}`);
    return [`0x${x}`, [x]];
  },
  (v) => {
    const x = hex(`Authorization: Bearer ${v.T}`);
    return [`payload(hex)=${x}`, [x]];
  },
  (v) => {
    const x = cut(hex(`api_key=${v.T}`), 2).join(":");
    return [`bytes ${x}`, [x]];
  },
  (v) => {
    const x = cut(hex(`password=${v.P}`), 2)
      .map((h) => `\\x${h}`)
      .join("");
    return [`echo -e "${x}"`, [x]];
  },
  (v) => {
    const x = all(v.R);
    return [`POST body: user=ann&passwd=${x}`, [x]];
  },
  (v) => [`Location: /login?next=%2Fadmin%3Ftoken%3D${v.T}%26x%3D1`, [v.T]],
  (v) => [`u=https%3A%2F%2Fann%3A${v.T}%40x.org%2F`, [v.T]],
  (v) => [`data=%257B%2522apiKey%2522%253A%2522${v.T}%2522%257D`, [v.T]],
  (v) => [`{&quot;password&quot;:&quot;${v.P}&quot;}`, [v.P]],
  (v) => [`&lt;password&gt;${v.P}&lt;/password&gt;`, [v.P]],
  (v) => [js({ log: js({ msg: js({ password: v.P }) }) }), [v.P]],
  (v) => [`logger.info("{\\"token\\": \\"${v.T}\\"}")`, [v.T]],
  (v) => [`'{"db_password": "'"${v.P}"'"}'`, [v.P]],
  (v) => [`"env": "DB_HOST=x\\nDB_PASSWORD=${v.P}\\nDEBUG=1"`, [v.P]],
  (v) => [`"script": "export TOKEN=${v.T}\\n./run.sh\\n"`, [v.T]],
  (v) => [`"command": ["sh", "-c", "PGPASSWORD=${v.P} psql -h db"]`, [v.P]],
  (v) => [`args: ["--db.user=app", "--db.password=${v.P}"]`, [v.P]],
  (v) => [`CMD ["server", "--token", "${v.T}"]`, [v.T]],
  (v) => [`"Env": [\n  "PATH=/bin",\n  "API_SECRET=${v.T}"\n]`, [v.T]],
  (v) => [`{"op":"add","path":"/data/password","value":"${v.P}"}`, [v.P]],
  (v) => [`{"parameterKey":"DbPassword","parameterValue":"${v.P}"}`, [v.P]],
  (v) => [`{"Key":"client_secret","Value":"${v.T}"}`, [v.T]],
  (v) => [`{"id":"token","text":"${v.T}"}`, [v.T]],
  (v) => [`- name: ADMIN_PASSWORD\n  value: ${v.P}`, [v.P]],
  (v) => [`- key: secret\n  operator: In\n  value: "${v.T}"`, [v.T]],
  (v) => [
    `"type": "tls_private_key", "instances": [{"attributes": {"private_key_pem": "-----BEGIN RSA PRIVATE KEY-----\\nMIIE${v.B}\\n${v.B}\\n-----END RSA PRIVATE KEY-----\\n"}}]`,
    [v.B],
  ],
  (v) => [
    `"mode":"managed","type":"google_sql_user","instances":[{"attributes":{"name":"app","password":"${v.P}"}}]`,
    [v.P],
  ],
  (v) => [`"outputs":{"kubeconfig":{"value":"users:\\n- user:\\n    token: ${v.T}\\n","type":"string"}}`, [v.T]],
  (v) => [`db_password = <<EOT\n${v.P}\nEOT`, [v.P]],
  (v) => [`password = "${v.P}" -> null`, [v.P]],
  (v) => [`~ password = "${v.P}" -> "${v.R}"`, [v.P, v.R]],
  (v) => [`<<<<<<< HEAD\napi_key: ${v.T}\n=======\napi_key: old\n>>>>>>>`, [v.T]],
  (v) => [`+    "apiKey": "${v.T}",`, [v.T]],
  (v) => [`     5\tSECRET_KEY = "${v.T}"`, [v.T]],
  (v) => [`src/conf.py:5:1:password = "${v.P}"`, [v.P]],
  (v) => {
    const [a, b] = half(v.T);
    return [`TOKEN=${a}\\\n  ${b}`, [a]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`const k = "sk_live_${a}" +\n  "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`secret = "${a}" \\\n         "${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`var apiKey = \`${a}\` + \`${b}\`;`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`$token = "${a}"\n$token .= "${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`apiKey = String.format("%s%s", "${a}", "${b}")`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`API_KEY="${a}""${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`password <- paste0("${a}", "${b}")`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`key1 := "${a}"\nkey2 := "${b}"\napiKey := key1 + key2`, [a, b]];
  },
  (v) => {
    const x = [...Buffer.from(v.T)].join(",");
    return [`secret: Uint8Array.from([${x}])`, [x]];
  },
  (v) => {
    const x = [...v.P].map((c) => `Chr(${c.charCodeAt(0)})`).join(" & ");
    return [`password = ${x}`, [x]];
  },
  (v) => {
    const x = [...v.P].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
    return [`password='${x}'`, [x]];
  },
  (v) => {
    const x = [...v.P].map((c) => `\\u{${c.charCodeAt(0).toString(16)}}`).join("");
    return [`let password = "${x}"`, [x]];
  },
  (v) => [`${dump(`token=${v.T}\nuser=ann\n`)}`, [dump(`token=${v.T}\nuser=ann\n`).split("\n")[1]?.slice(10, 40)]],
  (v) => [`$ od -tx1 .env\n${od(`DB_PASSWORD=${v.R}\n`)}`, [od(`DB_PASSWORD=${v.R}\n`).split("\n")[0]?.slice(44)]],
  (v) => [`| API_KEY      | ${v.T} |\n| REGION       | eu |`, [v.T]],
  (v) => [`│ password │ ${v.P} │`, [v.P]],
  (v) => [
    `┌──────────┬──────────────┐\n│ user     │ password     │\n├──────────┼──────────────┤\n│ ann      │ ${v.P.padEnd(12)} │\n└──────────┴──────────────┘`,
    [v.P],
  ],
  (v) => [`NAME       TOKEN\nci         ${v.T}`, [v.T]],
  (v) => [`ID   USER   PASSWORD\n1    ann    ${v.P}\n2    bob    ${v.R}`, [v.P, v.R]],
  (v) => {
    const t = `glpat-${v.T.slice(0, 20)}`;
    return [`\u001b[1mToken\u001b[22m:   \u001b[38;5;214m${t}\u001b[39m`, [t]];
  },
  (v) => [`\u001b[36m"password"\u001b[39m: \u001b[32m"${v.P}"\u001b[39m`, [v.P]],
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `\t-----BEGIN EC PRIVATE KEY-----\n${ls.map((l) => `\t${l}`).join("\n")}\n\t-----END EC PRIVATE KEY-----`,
      ls.slice(0, 2),
    ];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `ssl_key: "-----BEGIN PRIVATE KEY-----\\\n  ${ls.join("\\\n  ")}\\\n  -----END PRIVATE KEY-----"`,
      ls.slice(0, 2),
    ];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `${ls.map((l) => `"${l}\\n"`).reduce((t, l) => `${t}\n  ${l}`, `const char key[] = "-----BEGIN RSA PRIVATE KEY-----\\n"`)}\n  "-----END RSA PRIVATE KEY-----\\n";`,
      ls.slice(0, 2),
    ];
  },
  (v) => {
    const t = v.T + v.T + v.T;
    const ls = cut(t, 70);
    return [`export REFRESH_TOKEN=${ls[0]}\n${ls[1]}`, [ls[0], ls[1]]];
  },
  (v) => [`$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n${v.P}`, [v.P]],
  (v) => [`$ gcloud auth print-access-token\nya29.${v.T}${v.T}`, [v.T]],
  (v) => [`$ printenv GITHUB_TOKEN\n${v.T}`, [v.T]],
  (v) => [`$ aws secretsmanager get-secret-value --secret-id db --query SecretString --output text\n${v.P}`, [v.P]],
  (v) => [`irb> Rails.application.credentials.secret_key_base\n=> "${v.X}${v.X}"`, [v.X]],
  (v) => [`>>> settings.SECRET_KEY\n'${v.T}'`, [v.T]],
  (v) => [`(Pdb) p password\n'${v.P}'`, [v.P]],
  (v) => [`config.apiKey → '${v.T}'`, [v.T]],
  (v) => [`User: which key did you use?\nAssistant: ${v.T}, the api key from the vault`, [v.T]],
  (v) => [`Found it: ${v.P} (that's the root password)`, [v.P]],
];
