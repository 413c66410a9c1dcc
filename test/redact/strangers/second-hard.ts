import type { Hide } from "./read-strangers.js";

const b64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");
const js = JSON.stringify;
const half = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))];

/** The same as in the first set, by somebody who had not looked at the rules for them. */
export const SECOND_HARD: readonly Hide[] = [
  (v) => {
    const x = b64(`SMTP_PASS=${v.P}\nSMTP_USER=ann`);
    return [`secret.yaml:\n  data:\n    env: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`{"token":"${v.T}"}`);
    return [`cookie state=${x}`, [x]];
  },
  (v) => {
    const x = b64(`user:${v.P}`);
    return [`Authorization: Basic ${x}`, [x]];
  },
  (v) => {
    const x = b64(`[client]\npassword=${v.P}\n`);
    return [`echo ${x} | base64 -d > ~/.my.cnf`, [x]];
  },
  (v) => {
    const x = b64(`mysql://app:${v.P}@db1/x`);
    return [`dsn64: "${x}"`, [x]];
  },
  (v) => {
    const x = b64(v.T);
    return [`  token: ${x}`, [x]];
  },
  (v) => {
    const x = b64(v.P);
    return [`kubectl get secret x -o yaml\ndata:\n  password: ${x}`, [x]];
  },
  (v) => {
    const x = hex(`api_key=${v.T}`);
    return [`0x${x}`, [x]];
  },
  (v) => {
    const x = hex(v.P);
    return [`passphrase (hex): ${x}`, [x]];
  },
  (v) => {
    const x = b64(`export TOKEN=${v.T}`).replaceAll("+", "-").replaceAll("/", "_");
    return [`data=${x}`, [x]];
  },
  (v) => {
    const x = encodeURIComponent(`user=ann&password=${v.P}`);
    return [`body=${x}`, [v.P]];
  },
  (v) => [`https://a.corp/cb#access_token=${v.T}&state=1`, [v.T]],
  (v) => [`https://a.corp/login?next=%2Fx%3Ftoken%3D${v.T}`, [v.T]],
  (v) => {
    const [a, b] = half(v.T);
    return [`const k = "${a}" +\n  "${b}"; // api key`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`secret = '${a}' + '${b}'`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`TOKEN="${a}"\nTOKEN="$TOKEN${b}"`, [a]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`api_key = (\n  "${a}"\n  "${b}"\n)`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`token: "${a}\\\n  ${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = half(v.T);
    return [`$apiKey = '${a}' .\n  '${b}';`, [a, b]];
  },
  (v) => [`api_token: >-\n  ${v.T}\n`, [v.T]],
  (v) => [`password: |-\n  ${v.P}\nport: 1`, [v.P]],
  (v) => [`"password" : {"type": "string", "value": "${v.P}"}`, [v.P]],
  (v) => [`passwords:\n  root: ${v.P}\n  app: ${v.R}`, [v.P, v.R]],
  (v) => [`credentials:\n  - user: ann\n    secret: ${v.T}`, [v.T]],
  (v) => [`tokens = ["${v.T}"]`, [v.T]],
  (v) => [`api_keys:\n  - ${v.T}`, [v.T]],
  (v) => [`"tokens": {"ci": "${v.T}"}`, [v.T]],
  (v) => [`secrets = {\n  smtp = "${v.P}"\n}`, [v.P]],
  (v) => [js({ d: js({ e: js({ password: v.P }) }) }), [v.P]],
  (v) => [js({ cmd: `curl -u ann:${v.P} https://a` }), [v.P]],
  (v) => [js(js({ env: { DB_PASSWORD: v.P } })), [v.P]],
  (v) => [js({ text: `The password is:\n${v.P}` }), [v.P]],
  (v) => [`ssh h 'PGPASSWORD='\\''${v.P}'\\'' psql'`, [v.P]],
  (v) => [`bash -lc "export TOKEN='${v.T}'; ./x"`, [v.T]],
  (v) => [`cat > /root/.my.cnf <<X\n[client]\npassword="${v.P}"\nX`, [v.P]],
  (v) => [`tee .env <<'E'\nAPI_KEY=${v.T}\nE`, [v.T]],
  (v) => [`sed -i 's/^password=.*/password=${v.P}/' a.conf`, [v.P]],
  (v) => [`sed -i "s|__PW__|${v.P}|" config # db password`, [v.P]],
  (v) => [`envsubst <<< 'x'; DB_PASS=${v.P} envsubst`, [v.P]],
  (v) => [`jq '.password = "${v.P}"' a.json`, [v.P]],
  (v) => [`yq -i '.db.pass = "${v.P}"' a.yml`, [v.P]],
  (v) => [`\u001b[1;31mPassword:\u001b[0m ${v.P}`, [v.P]],
  (v) => [`\u001b[90m$\u001b[39m export API_KEY=\u001b[33m${v.T}\u001b[39m`, [v.T]],
  (v) => [`app.py:9:    "password": "${v.P}"`, [v.P]],
  (v) => [`  41 | const token = "${v.T}"`, [v.T]],
  (v) => [`   7\tAPI_SECRET=${v.T}`, [v.T]],
  (v) => [`> > db_pass: ${v.P}`, [v.P]],
  (v) => [`<input type="password" value="${v.P}" name="p">`, [v.P]],
  (v) => [`<code>password=${v.P}</code>`, [v.P]],
  (v) => [`&lt;token&gt;${v.T}&lt;/token&gt;`, [v.T]],
  (v) => [`<pre>API key\n${v.T}</pre>`, [v.T]],
  (v) => [`<secret><![CDATA[${v.T}]]></secret>`, [v.T]],
  (v) => [`a:2:{s:4:"user";s:3:"ann";s:4:"pass";s:${v.P.length}:"${v.P}";}`, [v.P]],
  (v) => [`Content-Disposition: form-data; name="api_key"\r\n\r\n${v.T}\r\n`, [v.T]],
  (v) => [`ann logged in with '${v.P}'`, [v.P]],
  (v) => [`tried ${v.P} first\nPASSWORD=${v.P}`, [v.P]],
  (v) => [`PASSWORD=${v.P}\n...\nso ${v.P} it is`, [v.P]],
  (v) => [`SECRET_KEY=${v.T}\nlog: [${v.T}]`, [v.T]],
  (v) => [`token: ${v.T}\nhttps://a/${v.T}/x`, [v.T]],
  (v) => [`password: ${v.P}\nBasic ${b64(`ann:${v.P}`)}`, [v.P, b64(`ann:${v.P}`)]],
  (v) => [`Q: what is the admin password?\nA: ${v.P}`, [v.P]],
  (v) => [`<ann> password?\n<bob> ${v.P}`, [v.P]],
  (v) => [`my login is ann and ${v.P}`, [v.P]],
  (v) => [`"${v.P}" is what you type at the password prompt`, [v.P]],
  (v) => [`${v.T} <- api key`, [v.T]],
  (v) => [`${v.P}  # root pw`, [v.P]],
  (v) => [`mot de passe ci-dessous\n${v.P}`, [v.P]],
  (v) => [`Passwort siehe unten:\n\n${v.P}`, [v.P]],
  (v) => [`API key\n-------\n${v.T}`, [v.T]],
  (v) => [`Password\n${v.P}\nUsername\nann`, [v.P]],
  (v) => [`ann@h:~$ sudo -i\n[sudo] password for ann: ${v.P}`, [v.P]],
  (v) => [`spawn ssh h\nann's password: ${v.P}\nWelcome`, [v.P]],
  (v) => [`expect "Password:"\nsend "${v.P}\\r"`, [v.P]],
  (v) => [`{"attributes":{"master_password":"${v.P}","id":"x"}}`, [v.P]],
  (v) => [`{"type":"azuread_application_password","attributes":{"value":"${v.T}"}}`, [v.T]],
  (v) => [`{"address":"random_password.db","values":{"result":"${v.R}"}}`, [v.R]],
  (v) => [`# ${v.P}\n# ^ that's the db password`, [v.P]],
  (_v) => [`otpauth://totp/a?secret=JBSWY3DPEHPK3PXPQWER`, ["JBSWY3DPEHPK3PXPQWER"]],
  (v) => [`sftp://ann:${v.P}@h`, [v.P]],
  (v) => [`rediss://:${v.P}@c:6380`, [v.P]],
  (v) => [`ldap://cn=a:${v.P}@h`, [v.P]],
  (v) => [`amqp://u:${encodeURIComponent(`${v.P}#1`)}@h`, [encodeURIComponent(`${v.P}#1`)]],
  (v) => [`socks5://u:${v.P}@h:1080`, [v.P]],
  (v) => [`sqlserver://sa:${v.R}@h?database=x`, [v.R]],
  (v) => [`Server=h;Uid=a;Pwd='${v.P}';`, [v.P]],
  (v) => [`host=h;password="${v.P}"`, [v.P]],
  (v) => [`DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${v.B}`, [v.B]],
  (v) => [`password = u"${v.P}"`, [v.P]],
  (v) => [`password = R"(${v.P})"`, [v.P]],
  (v) => [`password = """${v.P}"""`, [v.P]],
  (v) => [`password = %q{${v.P}}`, [v.P]],
  (v) => [`password = <<~X\n  ${v.P}\nX`, [v.P]],
  (v) => [`char pw[] = "${v.P}";`, [v.P]],
  (v) => [`pw = [${[...v.P].map((c) => `"${c}"`).join(",")}].join("")`, [[...v.P].map((c) => `"${c}"`).join(",")]],
  (v) => [`var secret = atob("${b64(v.T)}")`, [b64(v.T)]],
  (v) => [`password = b64decode("${b64(v.P)}")`, [b64(v.P)]],
  (v) => [`set -gx API_TOKEN (echo ${v.T})`, [v.T]],
];
