import { ALPHANUMERIC, BASE64, HEX, seededRandom, URL_SAFE } from "./seeded-random.js";

/** What looks like a secret and is none: identifiers, digests, code, samples, prose. */
export function lookAlikes(seed: number): string[] {
  return [...generated(seed), ...WRITTEN.split("\n").filter((line) => line.trim() !== ""), ...MULTILINE];
}

function generated(seed: number): string[] {
  const { text, uuid, digits } = seededRandom(seed);
  return [
    `"sessionId":"${uuid()}","uuid":"${uuid()}","parentUuid":"${uuid()}"`,
    `resume with claude --resume ${uuid()}`,
    `msg_01${text(ALPHANUMERIC, 22)}`,
    `"tool_use_id":"toolu_01${text(ALPHANUMERIC, 22)}"`,
    `"id":"call_${text(ALPHANUMERIC, 24)}"`,
    `"requestId":"req_011${text(ALPHANUMERIC, 21)}"`,
    `chatcmpl-${text(ALPHANUMERIC, 29)}`,
    `resp_${text(HEX, 48)}`,
    `"customer":"cus_${text(ALPHANUMERIC, 14)}","price":"price_1${text(ALPHANUMERIC, 23)}"`,
    `"publishableKey":"pk_test_${text(ALPHANUMERIC, 24)}"`,
    `commit ${text(HEX, 40)}`,
    `index ${text(HEX, 7)}..${text(HEX, 7)} 100644`,
    `git checkout ${text(HEX, 40)} -- src/token.ts`,
    `sha256:${text(HEX, 64)}`,
    `node@sha256:${text(HEX, 64)}`,
    `docker://alpine:3.19@sha256:${text(HEX, 64)}`,
    `${text(HEX, 64)}  dist/secrets-manager.tar.gz`,
    `"integrity": "sha512-${text(BASE64, 86)}=="`,
    `"integrity": "sha384-${text(BASE64, 64)}"`,
    `"signature":"EqoB${text(BASE64, 300)}="`,
    `{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo${text(BASE64, 600)}"}`,
    `![logo](data:image/png;base64,iVBORw0KGgo${text(BASE64, 200)}=)`,
    `src:url(data:font/woff2;base64,d09GMgABAAAAA${text(BASE64, 300)})`,
    `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz${text(BASE64, 200)}`,
    `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${text(BASE64, 300)} dana@laptop`,
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${text(BASE64, 43)} dana@laptop`,
    `The key fingerprint is: SHA256:${text(BASE64, 43)} dana@laptop`,
    `"publicKey": "${text(BASE64, 43)}="`,
    `public_key: ${text(BASE64, 43)}=`,
    `traceparent: 00-${text(HEX, 32)}-${text(HEX, 16)}-01`,
    `"traceId":"${text(HEX, 32)}","spanId":"${text(HEX, 16)}"`,
    `ETag: "${text(HEX, 32)}"`,
    `"cacheKey": "${text(HEX, 64)}"`,
    `"primaryKey": "${text(ALPHANUMERIC, 20)}"`,
    `idempotency-key: ${uuid()}`,
    `Idempotency-Key: ${text(ALPHANUMERIC, 20)}`,
    `"nextPageToken": "${text(URL_SAFE, 60)}"`,
    `NextToken=${text(BASE64, 64)}`,
    `"continuationToken":"${text(URL_SAFE, 40)}"`,
    `<li key="${text(ALPHANUMERIC, 21)}">`,
    `{"key": "uploads/2024/${uuid()}.png"}`,
    `main.${text(HEX, 8)}.js  chunk-${text(ALPHANUMERIC, 8)}.mjs`,
    `pod/web-${text(HEX, 10)}-x2x9z   1/1   Running`,
    `i-0${text(HEX, 16)} subnet-0${text(HEX, 16)} vpc-${text(HEX, 8)}`,
    `arn:aws:secretsmanager:eu-west-1:${digits(12)}:secret:prod/db-AbCdEf`,
    `secret = "arn:aws:secretsmanager:eu-west-1:${digits(12)}:secret:prod/db-x9QzLm"`,
    `tokenHash: ${text(HEX, 64)}`,
    `"password_sha256": "${text(HEX, 64)}"`,
    `"keyId": "${text(HEX, 40)}", "private_key_id": "${text(HEX, 40)}"`,
    `0x${text(HEX, 40)}`,
    `01J${text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23)}`,
    `{${uuid().toUpperCase()}}`,
    `https://docs.google.com/document/d/${text(URL_SAFE, 44)}/edit`,
    `https://www.youtube.com/watch?v=${text(URL_SAFE, 11)}`,
    `https://s3.amazonaws.com/bucket/${text(HEX, 32)}/report.pdf`,
    `Cookie: theme=dark; lang=en; consent=accepted-all-2024`,
    `cursor=eyJ${text(ALPHANUMERIC, 40)}`,
    `x-request-id: ${text(HEX, 32)}`,
    `session ${uuid()} (token count 1234)`,
    `-----BEGIN CERTIFICATE-----\n${text(BASE64, 64)}\n${text(BASE64, 64)}\n-----END CERTIFICATE-----`,
    `-----BEGIN PUBLIC KEY-----\n${text(BASE64, 64)}\n-----END PUBLIC KEY-----`,
    `certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${text(BASE64, 200)}`,
    `password: ENC[AES256_GCM,data:${text(BASE64, 24)},iv:${text(BASE64, 43)}=,type:str]`,
    `${text("0123456789ABCDEF", 2)}:${text("0123456789ABCDEF", 2)}:4F:9A:00:1B`,
    `"backupFileName":"${text(HEX, 16)}@v2","messageId":"${uuid()}"`,
    `"shapeHash":"${text(HEX, 64)}","requestDigest":"${text(HEX, 64)}"`,
    `gpg: using RSA key ${text(HEX, 40).toUpperCase()}`,
    `ENV GPG_KEY=${text(HEX, 40).toUpperCase()}`,
    `{ type: 'token', value: '${text(ALPHANUMERIC, 12)}' }`,
    `golang.org/x/oauth2 v0.15.0 h1:${text(ALPHANUMERIC, 43)}=`,
    `AUTH0_CLIENT_ID=${text(ALPHANUMERIC, 32)}`,
    `nonce="${text(ALPHANUMERIC, 22)}=="`,
    `asst_${text(ALPHANUMERIC, 24)} thread_${text(ALPHANUMERIC, 24)} file-${text(ALPHANUMERIC, 24)}`,
    `~/.claude/projects/-home-dana-shop/${uuid()}.jsonl`,
  ];
}

const WRITTEN = String.raw`
password = getPassword()
const token = await getToken(user, 'read2');
token: string
token?: string | undefined;
apiKey: config.apiKey,
api_key=os.environ["API_KEY"]
const apiKey = process.env.API_KEY;
const apiKey = process.env.ANTHROPIC_API_KEY ?? "";
api_key: Optional[str] = None
API_KEY = os.getenv("API_KEY")
password: z.string().min(8).max(64),
const [token, setToken] = useState("");
password VARCHAR(255) NOT NULL,
string token = 3;
Token string ${"`"}json:"token,omitempty"${"`"}
let token: &str = &args[1];
expect(token).toBe("abc");
expect(result.password).toBeUndefined();
if (password !== confirmPassword) throw new Error("Passwords do not match");
passwordHash = await bcrypt.hash(password, 10)
secretKey: crypto.randomBytes(32).toString("hex"),
private readonly tokenService: TokenService2,
token = tokens[index + 1]
self.token = token2
password=password1,
login(user=user, password=password)
this.password = user.credentials.password2;
const secret = generateSecret({ length: 20 });
token := r.Header.Get("Authorization")
if [ -z "$GITHUB_TOKEN" ]; then
read -s -p "Password: " PASSWORD
PASSWORD=$(pass show db/prod1)
TOKEN=$1
TOKEN="$2"
export API_KEY="$(cat ~/.keys/api1)"
API_KEY=${"$"}{API_KEY:-}
GITHUB_TOKEN: ${"$"}{{ secrets.GITHUB_TOKEN }}
password: "{{ vault_db_password1 }}"
password = var.db_password
MasterUserPassword: !Ref DBPassword1
Password: '{{resolve:secretsmanager:db1:SecretString:password}}'
password: !vault |
API_KEY=your-api-key-here
API_KEY=your_api_key_123
API_KEY=<your api key>
API_KEY=<TOKEN>
API_KEY=xxxxxxxxxxxxxxxxxxxx
ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx
ANTHROPIC_API_KEY=sk-ant-api03-your-key-here-please-replace-it
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-your-openai-key-goes-here
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX
DB_PASSWORD=changeme
DB_PASSWORD=${"$"}{DB_PASSWORD}
POSTGRES_PASSWORD=postgres
MYSQL_ROOT_PASSWORD=root
REDIS_PASSWORD=
SECRET_KEY=********
SECRET=...
"password": "changeme"
"password": "string"
"password": "********"
"password": "Password"
"password": "Enter your password"
"password": "The password must have at least 8 characters."
"password": "test1234"
"password": "password123"
"token": "abc123"
"token": "test-token-1"
"token": "{{token}}"
"token": null, "password": true, "secret": 42
"token_type": "Bearer", "expires_in": 3600
"auth": "oauth2", "authMethod": "client_secret_basic"
"secretName": "db-credentials-7f3a9c"
secretKeyRef: { name: db, key: password1 }
imagePullSecrets: regcred2024
"passwordField": "#login-password1"
page.fill('input[name="password"]', user.password)
<input type="password" name="password" autocomplete="new-password" id="pw1">
password: "^(?=.*[A-Z])(?=.*\\d).{8,}$"
placeholder="Password (min. 8 characters)"
max_tokens: 4096, "input_tokens": 12, "cache_read_input_tokens": 1024
"output_tokens_details": {"thinking_tokens": 2048}
const maxTokens = 8192;
tokenizer: "cl100k_base"
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
eos_token: "<|endoftext|>"
pad_token_id=50256
bos_token="<s>", unk_token="<unk>"
{"key": "ArrowDown", "code": "ArrowDown"}
{"key":"theme.dark.v2","value":"enabled"}
event.key === "Escape"
keyboard: qwerty1
<Item key={item.id2} />
sort_key = "created_at#2024-01-01"
partition_key: "tenant#0042"
foreign_key: users_id_fk1
localStorage.setItem("storageKey", "app-state-v2")
i18nKey: "login.password.label1"
author: Dana <dana@example.org>
authority: https://login.example.org/v2.0
authorization_endpoint: https://login.example.org/oauth2/authorize
monkey=banana123
turkey: roast2go
bypass: e2e-tests
compass: north-west-1
passed: 12/12 in 3.4s
tests pass on node20 and node22
All 128 tests pass. Coverage 93.4%
secretary: "Jane Doe 2"
tokens: 1500
Total tokens: 123456
The API key must be 32 characters long.
Your token expires in 30 days; the key is case-sensitive.
The password is required and the token is optional.
The token is base64-encoded and the password is sha256-hashed.
The secret is stored in AWS Secrets Manager (eu-west-1).
Set the API key to the value from the console.
Forgot password? Reset your password2 here.
Use --password-stdin to read the password from stdin.
--token string      API token to use (default "")
--password PASSWORD  the password
--api-key <key>
--token-file /run/secrets/token1
--key-file ./certs/server1.key
API_KEY_FILE=/run/secrets/api_key_1
SSL_KEY_PATH=/etc/ssl/private/server1.key
PWD=/home/dana/project1
OLDPWD=/srv/app2
TOKEN_URL=https://login.example.org/oauth2/v2.0/token
AUTH_URL=https://auth.example.org:8443/v1
TOKEN_TTL=3600s
PASSWORD_MIN_LENGTH=12
SECRET_VERSION=v2
KEY_ALGORITHM=RS256
key_type: ed25519
alg: HS256, typ: JWT
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${"$"}{token}
Authorization: Bearer YOUR_TOKEN_HERE
Bearer authentication is required for /v1/messages
Basic authentication with username and password
Basic Information
headers["Authorization"] = "Bearer " + token
Authorization: Basic <credentials>
postgres://localhost:5432/shop
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost:5432/postgres
postgresql://USER:PASSWORD@HOST:PORT/DATABASE
mysql://${"$"}{DB_USER}:${"$"}{DB_PASS}@${"$"}{DB_HOST}/shop
mongodb://<user>:<password>@cluster0.example.net
redis://localhost:6379/0
amqp://guest:guest@localhost:5672
https://example.org:8080/@scope/package@1.2.3
https://github.com/org/repo.git@v1.2.3
git+ssh://git@github.com/org/repo.git
git@github.com:org/repo.git
ssh://git@gitlab.example.org:2222/org/repo.git
https://medium.com/@dana/post-1234abcd
http://localhost:3000/auth/callback?code=abc&state=xyz
curl -u user:password https://example.org
docker run -u 1000:1000 alpine
docker run --user node:node app
mysql -u root -p shop < dump.sql
mysql -h localhost -P 3306
ssh -p 2222 host
mkdir -p src/tokens2/keys
task-list-component-for-the-dashboard-2024
risk-assessment-of-the-quarterly-report-0042
disk-usage-analyzer-version-2-plugin-for-linux
sk-learn and scikit-learn
<div class="sk-circle-fade-dot sk-container-id-1">
sk-toggleable__content sk-estimator-doc-link fitted
npm_config_registry npm_lifecycle_event npm_package_version
hf_hub_download(repo_id="org/model-7b-instruct-v0.2")
from pypi-server and pypi-mirror-for-internal-packages
xoxo, see you soon
AIzawa Station
AKIA is the prefix of AWS access keys
ghp_ and github_pat_ are GitHub prefixes
eyJ is how every JWT begins
/sk-ant-[a-zA-Z0-9_-]{20,}/
/AKIA[0-9A-Z]{16}/
new RegExp("ghp_[A-Za-z0-9]{36}")
const PREFIXES = ["sk-", "ghp_", "xoxb-", "AKIA", "AIza", "glpat-"];
const HEADER = "-----BEGIN PRIVATE KEY-----"; const FOOTER = "-----END PRIVATE KEY-----";
grep -r "BEGIN RSA PRIVATE KEY-----" .
-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----
dp.setPointerCapture(event.pointerId)
SG.Controls.Button.Primary
key-value-store-for-the-session-cache
re_export_all_modules_from_index
local-first software, secret_santa_generator_for_the_office_party
v1.0-beta.2024.01.15
@anthropic-ai/sdk@1.8.0 typescript@6.0.3
1.2.3-alpha.20240101.abcdef0
2026-05-01T09:00:00.000Z
192.168.178.24:8443 fe80::1ff:fe23:4567:890a
+49 170 1234567
#a1b2c3 rgba(12, 34, 56, 0.5)
/usr/local/lib/node_modules/npm/node_modules/@npmcli/config/lib/type-defs.js
C:\Program Files\Tokens2\keystore1.jks
import { TokenProvider2 } from "../auth/token-provider-v2.js";
getUserAccessTokenFromSessionStorageOrThrow2
com.example.security.oauth2.client.TokenEndpointAuthenticationFilter
export class SecretsManagerClientV3 extends BaseClient {}
const isPasswordValid = /\d/.test(password) && password.length >= 8;
type Password = Branded<string, "Password1">;
token !== undefined && token.startsWith("sk-")
secrets: inherit
with: { token: "${"$"}{{ github.token }}" }
"apiKeyEnv": "OPENAI_API_KEY_2"
"tokenHeader": "X-Auth-Token-V2"
apiKeyHelper: "~/bin/get-key-v2.sh"
"permissions": { "allow": ["Bash(git push:*)", "Read(./.env.example1)"] }
signature: (payload: Buffer, secret: string) => string
hmac(secret, body).digest("hex")
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
kubectl get secret app-tls-7h2k9x -o yaml
--- PASS: TestX509v3Parse (0.00s)
PASS src/foo2bar.test.ts (12.3 s)
Unexpected token '<', "<!DOCTYPE "... is not valid JSON
www-authenticate: Bearer realm="https://auth.docker.io/token",service="registry.docker.io"
SESSION_COOKIE_NAME=__Secure-next-auth.session-token
PASSWORD_HASHER=argon2id
"@auth/core": "^0.34.2", "next-auth": "5.0.0-beta.20"
let secret_key = SecretKey::from_slice(&bytes32)?;
ghp_****************************abcd
http://localhost:5173/@fs/home/x/y.ts
mappings: ";;;;AAAA,SAASA,IAAI,CAACC,CAAC,EAAE;EACf,OAAOA"
Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.
`;

const MULTILINE = [
  "users:\n  - name: dana\n    password: required\n    token: optional\n",
  "interface Login {\n  user: string;\n  password: string;\n  token?: Token2;\n}",
  "| name | key | token |\n|---|---|---|\n| a | Enter2 | next-page |\n",
  'switch (token.type) {\n  case "Identifier2":\n    return key2;\n}',
  "Usage: deploy [options]\n  --token TOKEN2   the token\n  --password=PASSWORD1\n",
];
