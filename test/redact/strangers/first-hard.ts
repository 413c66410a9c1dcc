import type { Hide } from "./read-strangers.js";

const b64 = (s: string) => Buffer.from(s).toString("base64");
const url = (s: string) => encodeURIComponent(s);
const allHex = (s: string) => Buffer.from(s).toString("hex");
const pct = (s: string) => [...Buffer.from(s)].map((b) => `%${b.toString(16).toUpperCase()}`).join("");
function cut(text: string, pieces: number): string[] {
  const size = Math.ceil(text.length / pieces);
  return Array.from({ length: pieces }, (_, at) => text.slice(at * size, (at + 1) * size));
}
const groups = (text: string, size: number) => cut(text, Math.ceil(text.length / size));
const js = JSON.stringify;
/** Hidden secrets as strangers wrote them: the text, and what must not be left of it. */
export const FIRST_HARD: readonly Hide[] = [
  (v) => {
    const x = b64(`DB_PASSWORD=${v.P}\nPORT=3000\n`);
    return [`data:\n  .env: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`{"username":"ann","password":"${v.P}"}`);
    return [`config: ${x}`, [x]];
  },
  (v) => {
    const x = b64(`ann:${v.P}`);
    return [`"auth": "${x}"`, [x]];
  },
  (v) => {
    const x = b64(`Authorization: Bearer ${v.T}`);
    return [`echo ${x} | base64 -d`, [x]];
  },
  (v) => {
    const x = b64(`password: ${v.P}`);
    return [`echo '${x}' | base64 --decode > config.yml`, [x]];
  },
  (v) => {
    const x = b64(`postgres://app:${v.P}@db1:5432/shop`);
    return [`DATABASE_URL_B64=${x}`, [x]];
  },
  (v) => {
    const x = b64(`postgres://app:${v.P}@db1:5432/shop`);
    return [`  uri: ${x}`, [x]];
  },
  (v) => {
    const x = b64(b64(`password=${v.P}`));
    return [`payload ${x}`, [x]];
  },
  (v) => {
    const x = b64(`export API_KEY=${v.T}`);
    return [`bash -c "$(echo ${x} | base64 -d)"`, [x]];
  },
  (v) => {
    const x = b64(`[default]\naws_secret_access_key = ${v.B}\n`);
    return [`AWS_CONFIG=${x}`, [x]];
  },
  (v) => {
    const x = Buffer.from(`$password = '${v.P}'`, "utf16le").toString("base64");
    return [`powershell -EncodedCommand ${x}`, [x]];
  },
  (v) => {
    const x = allHex(`password=${v.P}`);
    return [`hex: ${x}`, [x]];
  },
  (v) => {
    const x = allHex(v.P);
    return [`password_hex=${x}`, [x]];
  },
  (v) => {
    const x = b64(v.P);
    return [`password_b64: ${x}`, [x]];
  },
  (v) => {
    const x = b64(v.P);
    return [`echo ${x} | base64 -d | docker login -u ci --password-stdin`, [x]];
  },
  (v) => [`postgres://app:${url(`${v.P}@!`)}@db1/shop`, [url(`${v.P}@!`)]],
  (v) => {
    const x = url(`postgres://app:${v.P}@db1/shop`);
    return [`https://x.corp/setup?dsn=${x}`, [url(v.P)]];
  },
  (v) => {
    const x = url(`{"password":"${v.P}"}`);
    return [`GET /q?data=${x}`, [url(v.P)]];
  },
  (v) => {
    const x = pct(v.P);
    return [`https://ann:${x}@a.corp/`, [x]];
  },
  (v) => {
    const x = url(url(`password=${v.P}`));
    return [`redirect=${x}`, [v.P]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`const token = "${a}" + "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b, c] = cut(v.T, 3);
    return [`API_KEY = ("${a}"\n           "${b}"\n           "${c}")`, [a, b, c]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`token = '${a}' \\\n        '${b}'`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`$token = "${a}" . "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`export API_TOKEN=${a}\\\n${b}`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`String secret = "${a}"\n    + "${b}";`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`Dim key As String = "${a}" & _\n  "${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`const s = ["${a}", "${b}"].join(""); // api secret`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`apiToken := "${a}" +\n\t"${b}"`, [a, b]];
  },
  (v) => {
    const [a, b] = cut(v.T, 2);
    return [`api_key: >-\n  ${a}\n  ${b}`, [a, b]];
  },
  (v) => [`api_key: |\n  ${v.T}`, [v.T]],
  (v) => [`password: >\n    ${v.P}\n`, [v.P]],
  (v) => [`password: !!str ${v.P}`, [v.P]],
  (v) => [`password: &pw ${v.P}\nother: *pw`, [v.P]],
  (v) => [`? password\n: ${v.P}`, [v.P]],
  (v) => [`password:\n  value: ${v.P}`, [v.P]],
  (v) => [`password:\n  - ${v.P}`, [v.P]],
  (v) => [`"password": ["${v.P}"]`, [v.P]],
  (v) => [`"password": {"value": "${v.P}"}`, [v.P]],
  (v) => [`"password": {"S": "${v.P}"}`, [v.P]],
  (v) => [js({ body: js({ password: v.P }) }), [v.P]],
  (v) => [js({ body: js({ inner: js({ apiKey: v.T }) }) }), [v.T]],
  (v) => [js(js(js({ client_secret: v.T }))), [v.T]],
  (v) => [`{"log":"{\\"msg\\":\\"login\\",\\"password\\":\\"${v.P}\\"}\\n","stream":"stdout"}`, [v.P]],
  (v) => [`cat <<EOF > /etc/app.env\nDB_PASSWORD=${v.P}\nEOF`, [v.P]],
  (v) => [`cat > .pgpass <<EOF\ndb1:5432:shop:app:${v.P}\nEOF`, [v.P]],
  (v) => [`ssh web1 "echo 'DB_PASS=\\"${v.P}\\"' >> .env"`, [v.P]],
  (v) => [`bash -c 'PGPASSWORD="'"${v.P}"'" psql -U app'`, [v.P]],
  (v) => [`sh -c "mysql -uroot -p'${v.P}' -e 'select 1'"`, [v.P]],
  (v) => [`docker run -e "POSTGRES_PASSWORD=${v.P}" postgres`, [v.P]],
  (v) => [`docker exec db bash -c "PGPASSWORD=${v.P} pg_dump shop"`, [v.P]],
  (v) => [`kubectl exec db -- mysql -uroot -p${v.P}`, [v.P]],
  (v) => [`export {A,B}_TOKEN=${v.T}`, [v.T]],
  (v) => [`password=$(echo ${v.P})`, [v.P]],
  (v) => [`read -s PW <<< "${v.P}"; export PW`, [v.P]],
  (v) => [`\u001b[33mpassword\u001b[0m: \u001b[32m${v.P}\u001b[0m`, [v.P]],
  (v) => [`\u001b[1mAPI_KEY\u001b[22m=\u001b[36m"${v.T}"\u001b[39m`, [v.T]],
  (v) => [`pass\u001b[31mword\u001b[0m=${v.P}`, [v.P]],
  (v) => [`\u001b[2K\rPassword: ${v.P}`, [v.P]],
  (v) => [`     3→DB_PASSWORD=${v.P}\n     4→PORT=1`, [v.P]],
  (v) => [`  12 |   password: "${v.P}",`, [v.P]],
  (v) => [`config.py:12:DB_PASSWORD = "${v.P}"`, [v.P]],
  (v) => [`.env-3-API_TOKEN=${v.T}`, [v.T]],
  (v) => [`src/app.js:7:  jwt.sign(p, "${v.T}")`, [v.T]],
  (v) => [`@@ -1 +1 @@\n-DB_PASSWORD=\n+DB_PASSWORD=${v.P}`, [v.P]],
  (v) => [`> password: ${v.P}\n> thanks`, [v.P]],
  (v) => [`>> DB_PASSWORD=${v.P}`, [v.P]],
  (v) => [`| | password |\n|--|--|\n| prod | **${v.P}** |`, [v.P]],
  (v) => [`| key | value |\n|:--|--:|\n| smtp.password | ${v.P} |`, [v.P]],
  (v) => [`||user||password||\n|ann|${v.P}|`, [v.P]],
  (v) => [`<table><tr><th>User</th><th>Password</th></tr><tr><td>ann</td><td>${v.P}</td></tr></table>`, [v.P]],
  (v) => [`<dt>Password</dt><dd>${v.P}</dd>`, [v.P]],
  (v) => [`<label>Password</label> <input value="${v.P}">`, [v.P]],
  (v) => [`<input type="password" value="${v.P}">`, [v.P]],
  (v) => [`<input name="api_key" value="${v.T}" />`, [v.T]],
  (v) => [`&lt;password&gt;${v.P}&lt;/password&gt;`, [v.P]],
  (v) => [`&quot;password&quot;:&quot;${v.P}&quot;`, [v.P]],
  (v) => [`<password><![CDATA[${v.P}]]></password>`, [v.P]],
  (v) => [
    `00000000: ${[...Buffer.from(`PW=${v.P}`.padEnd(16).slice(0, 16))]
      .map((b) => b.toString(16).padStart(2, "0"))
      .join("")
      .replace(/(.{4})(?=.)/g, "$1 ")}  ${`PW=${v.P}`.slice(0, 16)}`,
    [v.P.slice(0, 12)],
  ],
  (v) => [`API key: ${groups(v.T, 8).join(" ")}`, groups(v.T, 8).slice(0, 3)],
  (v) => [`API key: ${groups(v.T, 4).join("-")}`, [groups(v.T, 4).join("-")]],
  (v) => [`recovery key: ${groups(v.X, 8).join("-")}`, [groups(v.X, 8).join("-")]],
  (v) => [`token (part 1): ${cut(v.T, 2)[0]}\ntoken (part 2): ${cut(v.T, 2)[1]}`, cut(v.T, 2)],
  (v) => [`The password is spelled ${[...v.P].join(" ")}`, [[...v.P].join(" ")]],
  (v) => [`password reversed: ${[...v.P].reverse().join("")}`, [[...v.P].reverse().join("")]],
  (v) => [`char pw[] = {${[...v.P].map((c) => `'${c}'`).join(", ")}};`, [[...v.P].map((c) => `'${c}'`).join(", ")]],
  (v) => [
    `const pw = String.fromCharCode(${[...v.P].map((c) => c.charCodeAt(0)).join(",")});`,
    [[...v.P].map((c) => c.charCodeAt(0)).join(",")],
  ],
  (v) => [
    `password = bytes([${[...v.P].map((c) => c.charCodeAt(0)).join(", ")}])`,
    [[...v.P].map((c) => c.charCodeAt(0)).join(", ")],
  ],
  (v) => [
    `password = "${[...v.P].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join("")}"`,
    [[...v.P].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join("")],
  ],
  (v) => [
    `"password": "${[...v.P].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("")}"`,
    [[...v.P].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("")],
  ],
  (v) => [`DB_PASSWORD=${v.P}\nok\nI connected with ${v.P} just fine`, [v.P]],
  (v) => [`I used ${v.P} here.\n...\nAPP_SECRET=${v.P}`, [v.P]],
  (v) => [`export API_KEY=${v.T}\n$ ./run ${v.T}\nrunning ${v.T}`, [v.T]],
  (v) => [`password: ${v.P}\nlater: args [${v.P}]`, [v.P]],
  (v) => [`password: ${v.P}\nhttps://x.corp/?q=${v.P}`, [v.P]],
  (v) => [`password: ${v.P}\nb64: ${b64(v.P)}`, [v.P, b64(v.P)]],
  (v) => [`try ${v.P}?\n\nyes, the admin password is ${v.P}`, [v.P]],
  (v) => [`{"instances":[{"type":"aws_db_instance","attributes":{"username":"app","password":"${v.P}"}}]}`, [v.P]],
  (v) => [`{"type":"random_password","instances":[{"attributes":{"length":16,"result":"${v.R}"}}]}`, [v.R]],
  (v) => [`{"outputs":{"admin":{"value":"${v.P}","type":"string","sensitive":true}}}`, [v.P]],
  (v) => [
    `{"type":"tls_private_key","attributes":{"id":"x"}},{"type":"random_id","attributes":{"secret_hex":"${v.X}"}}`,
    [v.X],
  ],
  (v) => [`AQICAHh SecretBinary: ${v.B}`, [v.B]],
  (v) => [`I'll log in as ann with ${v.P}`, [v.P]],
  (v) => [`try ${v.P} as password`, [v.P]],
  (v) => [`you can use "${v.P}" as the passphrase`, [v.P]],
  (v) => [`both boxes have the same password, ${v.P}`, [v.P]],
  (v) => [`pw is ${v.P} and user is ann`, [v.P]],
  (v) => [`what does "${v.P}" mean? it's our jwt secret`, [v.P]],
  (v) => [`The key you gave me (${v.T}) returns 401`, [v.T]],
  (v) => [`Invalid API key provided: ${v.T}`, [v.T]],
  (v) => [`token ${v.T} expired`, [v.T]],
  (v) => [`password for ann is not ${v.P} any more, it's ${v.R}`, [v.P, v.R]],
  (v) => [`Passwort vergessen? Ich nehme ${v.P} als Passwort`, [v.P]],
  (v) => [`on se connecte avec ann et ${v.P} comme mot de passe`, [v.P]],
  (v) => [`Q: password?\nA: ${v.P}`, [v.P]],
  (v) => [`<ann> what's the root pw\n<bob> ${v.P}`, [v.P]],
  (v) => [
    `otpauth://totp/corp:ann?secret=${v.X.toUpperCase().replace(/[^A-F2-7]/g, "Q")}&issuer=corp`,
    [v.X.toUpperCase().replace(/[^A-F2-7]/g, "Q")],
  ],
  (v) => [`WIFI:T:WPA;S:HomeNet;P:${v.P};;`, [v.P]],
  (v) => [`sftp://ann:${v.P}@files.corp:22/in`, [v.P]],
  (v) => [`smb://CORP;ann:${v.P}@fs01/share`, [v.P]],
  (v) => [`ldap_bind: ann\nldap_bind_secret: |-\n  ${v.P}`, [v.P]],
  (v) => [`ssh-keygen -t ed25519 -N '${v.P}' -f id`, [v.P]],
  (v) => [
    `------WebKitFormBoundary\nContent-Disposition: form-data; name="password"\n\n${v.P}\n------WebKitFormBoundary--`,
    [v.P],
  ],
  (v) => [`multipart: name="token"\r\n\r\n${v.T}\r\n--x--`, [v.T]],
  (v) => [`<soap:Envelope><Login><user>ann</user><pwd>${v.P}</pwd></Login></soap:Envelope>`, [v.P]],
  (v) => [`s:8:"password";s:${v.P.length}:"${v.P}";`, [v.P]],
  (v) => [`(dp0\nS'password'\np1\nS'${v.P}'\np2\ns.`, [v.P]],
];
