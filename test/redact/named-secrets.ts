import { ALPHANUMERIC, BASE64, HEX, type SeededRandom, seededRandom, UPPER_DIGITS } from "./seeded-random.js";

export interface NamedSecret {
  readonly text: string;
  readonly secret: string;
}

/** Secrets that only their surroundings give away, in every notation that ties a value to a name. */
export function namedSecrets(seed: number): NamedSecret[] {
  const random = seededRandom(seed);
  const issued = VALUES.flatMap((make) => NOTATIONS.map((notation) => plant(notation, make(random))));
  const chosen = PASSWORDS.flatMap((password) => PASSWORD_NOTATIONS.map((notation) => plant(notation, password)));
  return [...issued, ...chosen, ...CONNECTIONS.flatMap((make) => PASSWORDS.map((password) => plant(make, password)))];
}

type Notation = (value: string) => string;

const plant = (notation: Notation, secret: string): NamedSecret => ({ text: notation(secret), secret });

const VALUES: readonly ((random: SeededRandom) => string)[] = [
  (random) => random.text(ALPHANUMERIC, 24),
  (random) => random.text(ALPHANUMERIC, 40),
  (random) => random.text(HEX, 32),
  (random) => random.text(HEX, 40),
  (random) => random.text(HEX, 64),
  (random) => `${random.text(BASE64, 43)}=`,
  (random) => random.text(UPPER_DIGITS, 20),
  (random) => `prod_${random.text(ALPHANUMERIC, 18)}`,
];

const NOTATIONS: readonly Notation[] = [
  (value) => `API_KEY=${value}`,
  (value) => `export GITHUB_TOKEN=${value}`,
  (value) => `SECRET_KEY_BASE="${value}"`,
  (value) => `PORT=1\nDD_API_KEY=${value}\nHOST=x`,
  (value) => `{"api_key": "${value}", "retries": 3}`,
  (value) => `{"accessToken":"${value}"}`,
  (value) => `{\\"client_secret\\": \\"${value}\\"}`,
  (value) => JSON.stringify(JSON.stringify(JSON.stringify({ refresh_token: value }))),
  (value) => `auth_token: ${value}\n`,
  (value) => `  apiKey: '${value}',`,
  (value) => `const apiKey = "${value}";`,
  (value) => `const SECRET: string = "${value}";`,
  (value) => `private static final String API_TOKEN = "${value}";`,
  (value) => `os.environ["OPENAI_API_KEY"] = "${value}"`,
  (value) => `key := os.Getenv("API_KEY", "${value}")`,
  (value) => `config.set('secretKey', '${value}')`,
  (value) => `'api_key' => '${value}',`,
  (value) => `deploy --api-key ${value} --force`,
  (value) => `deploy --token=${value}`,
  (value) => `["--access-token", "${value}"]`,
  (value) => `X-Api-Key: ${value}`,
  (value) => `curl -H "Authorization: Bearer ${value}" https://api.example.org`,
  (value) => `headers: { Authorization: 'Bearer ${value}' }`,
  (value) => `Authorization: token ${value}`,
  (value) => `https://api.example.org/v1?access_token=${value}&page=2`,
  (value) => `//registry.example.org/:_authToken=${value}`,
  (value) => `- name: STRIPE_SECRET\n  value: ${value}\n`,
  (value) => `{"name": "SESSION_SECRET", "value": "${value}"}`,
  (value) => `<add key="ApiKey" value="${value}" />`,
  (value) => `<apiKey>${value}</apiKey>`,
  (value) => `aws_secret_access_key = ${value}`,
  (value) => `ENV SIGNING_KEY ${value}`,
  (value) => `my api key is ${value}, keep it safe`,
  (value) => `**API key:** ${value}`,
  (value) => `+  "encryptionKey": "${value}",`,
  (value) => `     7→JWT_SECRET=${value}`,
  (value) => `line\\nWEBHOOK_SECRET=${value}\\nmore`,
  (value) => `heroku config:set APP_SECRET=${value} -a shop`,
  (value) => `AccountName=shop;AccountKey=${value};EndpointSuffix=core.windows.net`,
  (value) => `Cookie: theme=dark; session=${value}; lang=en`,
  (value) => `AWS Secret Access Key [None]: ${value}`,
  (value) => `$env:API_KEY = "${value}"`,
  (value) => `setx API_KEY ${value}`,
];

const PASSWORDS = ["hunter2-Xk9", "Tr0ub4dor&3", "S3cr3t!Passw0rd", "p@ssW0rd#2024", "Zx9kLm22qq", "winter-Sun7!"];

const PASSWORD_NOTATIONS: readonly Notation[] = [
  (value) => `DB_PASSWORD=${value}`,
  (value) => `export PGPASSWORD=${value}\npsql`,
  (value) => `"password": "${value}"`,
  (value) => `{\\"password\\":\\"${value}\\"}`,
  (value) => `password: ${value}\n`,
  (value) => `db.password = ${value}\n`,
  (value) => `  password: '${value}'`,
  (value) => `mysql --user root --password ${value} shop`,
  (value) => `mysql -u root -p${value} shop`,
  (value) => `sshpass -p ${value} ssh host`,
  (value) => `curl -u admin:${value} https://example.org`,
  (value) => `Server=db;User Id=sa;Password=${value};Encrypt=true`,
  (value) => `CREATE USER app WITH PASSWORD '${value}';`,
  (value) => `IDENTIFIED BY '${value}'`,
  (value) => `the password is ${value} by the way`,
  (value) => `machine example.org login dana password ${value}`,
  (value) => `auth: { user: 'dana', pass: '${value}' }`,
  (value) => `docker login -u dana -p ${value} registry.example.org`,
  (value) => `requests.get(url, auth=("dana", "${value}"))`,
  (value) => `localhost:5432:shop:app:${value}`,
  (value) => `openssl rsa -passin pass:${value} -in key.pem`,
  (value) => `数据库的密码是 ${value}`,
  (value) => `mot de passe : ${value}`,
  (value) => `password: |\n  ${value}\n`,
  (value) => `"pw":"${value}"`,
];

const CONNECTIONS: readonly Notation[] = [
  (value) => `postgres://app:${value}@db.example.org:5432/shop`,
  (value) => `mysql://root:${value}@localhost/shop`,
  (value) => `mongodb+srv://app:${value}@cluster0.example.net/shop?retryWrites=true`,
  (value) => `redis://:${value}@cache:6379/0`,
  (value) => `amqp://app:${value}@mq.example.org:5672/vhost`,
  (value) => `git clone https://dana:${value}@git.example.org/shop.git`,
  (value) => `DATABASE_URL="postgresql+asyncpg://app:${value}@db/shop"`,
];
