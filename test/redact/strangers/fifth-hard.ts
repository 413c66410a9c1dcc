import type { Hide } from "./read-strangers.js";

const b64 = (t: string) => Buffer.from(t).toString("base64");
const b64u = (t: string) => Buffer.from(t).toString("base64url");
const hex = (t: string) => Buffer.from(t).toString("hex");
const u16 = (t: string) => Buffer.from(t, "utf16le").toString("base64");
const js = JSON.stringify;
const cut = (t: string, n: number) => t.match(new RegExp(`[^]{1,${n}}`, "g")) ?? [];
const half = (t: string) => [t.slice(0, Math.ceil(t.length / 2)), t.slice(Math.ceil(t.length / 2))];
/** Written down before the rules for them. */
export const FIFTH_HARD: readonly Hide[] = [
  (v) => {
    const x = b64(`SPRING_DATASOURCE_PASSWORD=${v.P}`);
    return [`CONFIG_B64: ${x}`, [x]];
  },
  (v) => {
    const x = b64(js({ client_secret: v.T, client_id: "web" }));
    return [`GOOGLE_CREDS=${x}`, [x]];
  },
  (v) => {
    const x = b64(v.T);
    return [`kind: Secret\ntype: Opaque\ndata:\n  token: ${x}\n  user: YW5u`, [x]];
  },
  (v) => {
    const x = b64(b64(`export DB_PASSWORD='${v.P}'\n`));
    return [`cat <<E | base64 -d | base64 -d | sh\n${x}\nE`, [x]];
  },
  (v) => {
    const x = b64u(js({ sub: "ann", api_token: v.T }));
    return [`session=${x}; Path=/`, [x]];
  },
  (v) => {
    const x = u16(`Invoke-Command -Credential (Get-Credential); $password='${v.P}'`);
    return [`"powershell.exe" "-EncodedCommand" "${x}"`, [x]];
  },
  (v) => {
    const x = b64(`ci:${v.R}`);
    return [`{"auths":{"https://index.docker.io/v1/":{"auth":"${x}"}}}`, [x]];
  },
  (v) => {
    const x = b64(`//npm.acme.dev/:_authToken=${v.T}\n`);
    return [`echo "${x}" | base64 -d > .npmrc`, [x]];
  },
  (v) => {
    const x = b64(`[default]\naws_access_key_id = AKIAQWERTYUIOPASDFGH\naws_secret_access_key = ${v.B.slice(0, 40)}\n`);
    return [`AWS_CREDS: '${x}'`, [x]];
  },
  (v) => {
    const x = b64(`postgres://u:${v.P}@h/d`);
    return [`url: !!binary ${x}`, [x]];
  },
  (v) => {
    const x = hex(`{"apiKey":"${v.T}"}`);
    return [`body=${x}`, [x]];
  },
  (v) => {
    const x = hex(`DB_PASSWORD=${v.P}`);
    return [`X'${x}'`, [x]];
  },
  (v) => {
    const x = encodeURIComponent(`password=${v.T}&user=ann`);
    return [`q=${x}`, [v.T]];
  },
  (v) => {
    const x = encodeURIComponent(encodeURIComponent(`client_secret=${v.T}&a=b`));
    return [`https://x/r?to=${x}`, [v.T]];
  },
  (v) => {
    const x = cut(b64(`password=${v.P};token=${v.T};user=ann;host=db.acme.dev;port=5432;ssl=true;x=1`), 76);
    return [`Content-Transfer-Encoding: base64\n\n${x.join("\n")}`, x.slice(0, 1)];
  },
  (v) => [js({ event: js({ body: js({ client_secret: v.T }) }) }), [v.T]],
  (v) => [js({ message: `{"level":"info","msg":"login","password":"${v.P}"}` }), [v.P]],
  (v) => [`log: "{\\"headers\\":{\\"authorization\\":\\"Bearer ${v.T}\\"}}"`, [v.T]],
  (v) => [`SECRETS_JSON='{"stripe":{"secret":"${v.T}"}}'`, [v.T]],
  (v) => [`"data": "{\\\\\\"password\\\\\\":\\\\\\"${v.P}\\\\\\"}"`, [v.P]],
  (v) => [`"user_data": "#!/bin/bash\\nexport API_KEY=${v.T}\\nrun"`, [v.T]],
  (v) => [`{"attributes":{"engine":"postgres","master_password":"${v.P}"}}`, [v.P]],
  (v) => [`"attributes": {\n  "id": "x",\n  "secret_string": "{\\"password\\":\\"${v.P}\\"}"\n}`, [v.P]],
  (v) => [`"tokens": [{"name": "ci", "token": "${v.T}"}]`, [v.T]],
  (v) => [`  # module.db.random_password.p will be updated\n  ~ result = "${v.R}"`, [v.R]],
  (v) => [`      + password             = "${v.P}"`, [v.P]],
  (v) => [`- value: ${v.P}\n  name: DB_PASSWORD`, [v.P]],
  (v) => [`{"value":"${v.T}","key":"API_TOKEN"}`, [v.T]],
  (v) => [`["API_TOKEN", "${v.T}"]`, [v.T]],
  (v) => [`("X-Api-Key", "${v.T}"),`, [v.T]],
  (v) => [`map.put("password", "${v.P}");`, [v.P]],
  (v) => [`Map.of("user", "ann", "password", "${v.P}")`, [v.P]],
  (v) => [`setProperty('api_key', '${v.T}')`, [v.T]],
  (v) => [`Credentials{User:"ann", Pass:"${v.P}"}`, [v.P]],
  (v) => [`&{User:ann Password:${v.P} Port:5432}`, [v.P]],
  (v) => [`User { name: "ann", password: "${v.P}" }`, [v.P]],
  (v) => [`#<User id: 1, api_token: "${v.T}">`, [v.T]],
  (v) => [`stdClass Object\n(\n    [password] => ${v.P}\n)`, [v.P]],
  (v) => [`array(2) {\n  ["token"]=>\n  string(34) "${v.T}"\n}`, [v.T]],
  (v) => [`<Config password='${v.P}', host='db'>`, [v.P]],
  (v) => {
    const [a, b] = half(v.T);
    return [`apiKey: "${a}" +\n        "${b}",`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`token = '${a}' \\\n        '${b}'`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`export API_KEY="${a}\\\n${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`const secret = ['${a}','${b}'].join('')`, [a, b]];
  },
  (v) => {
    const x = [...Buffer.from(v.T)].join(", ");
    return [`var secretKey = []byte{${x}}`, [x]];
  },
  (v) => {
    const x = [...v.P].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join("");
    return [`password: "${x}"`, [x]];
  },
  (v) => {
    const t = `sk-proj-${v.T}${v.T}${v.T}`;
    const [a, b] = [t.slice(0, 68), t.slice(68)];
    return [`│ OPENAI_API_KEY=${a} │\n│ ${b}${" ".repeat(40)} │`, [a, b]];
  },
  (v) => {
    const t = `eyJhbGciOiJIUzI1NiJ9.${v.T}${v.T}.${v.T}`;
    const ls = cut(t, 80);
    return [`Authorization: Bearer ${ls[0]}\n${ls[1]}`, ls];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `{"key": ["-----BEGIN PRIVATE KEY-----", ${ls.map((l) => js(l)).join(", ")}, "-----END PRIVATE KEY-----"]}`,
      ls.slice(0, 2),
    ];
  },
  (v) => {
    const ls = cut(v.B + v.B + v.B, 64);
    return [
      `# -----BEGIN OPENSSH PRIVATE KEY-----\n${ls.map((l) => `# ${l}`).join("\n")}\n# -----END OPENSSH PRIVATE KEY-----`,
      ls.slice(0, 2),
    ];
  },
  (v) => [`NAME    KEY                                  AGE\nci      ${v.T}   2d`, [v.T]],
  (v) => [`SERVICE   USERNAME   PASSWORD       URL\ngrafana   admin      ${v.P}   http://g`, [v.P]],
  (v) => [`password\n--------\n${v.P}\n(1 row)`, [v.P]],
  (v) => [`$ op read op://dev/db/password\n${v.P}`, [v.P]],
  (v) => [`ann@web:~$ cat /run/secrets/db_password\n${v.P}`, [v.P]],
  (v) => [`$ docker exec web env\nPATH=/bin\nJWT_SECRET=${v.T}`, [v.T]],
  (v) => [`> show config\n  api.key  ${v.T}\n  region   eu`, [v.T]],
  (v) => [`Earlier I used ${v.T}.\n\nAPI_TOKEN=${v.T}`, [v.T]],
  (v) => [`The string ${v.P} in line 3 is the password.`, [v.P]],
];
