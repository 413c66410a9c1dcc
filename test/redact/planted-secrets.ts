import {
  ALPHANUMERIC,
  HEX,
  LETTERS,
  LOWER_DIGITS,
  type SeededRandom,
  seededRandom,
  UPPER_DIGITS,
  URL_SAFE,
} from "./seeded-random.js";

export interface IssuedSecret {
  readonly kind: string;
  readonly secret: string;
}

/**
 * Secrets as their issuers make them, put together from parts and a seed: none of them is real, and none stands in this
 * file as a whole.
 */
export function issuedSecrets(seed: number): IssuedSecret[] {
  const random = seededRandom(seed);
  return Object.entries(MAKERS).flatMap(([kind, makers]) => makers.map((make) => ({ kind, secret: make(random) })));
}

type Make = (random: SeededRandom) => string;

const from =
  (prefix: string, alphabet: string, length: number, suffix = ""): Make =>
  (random) =>
    prefix + random.text(alphabet, length) + suffix;

const fromAll = (prefixes: string, alphabet: string, length: number): Make[] =>
  prefixes.split(" ").map((prefix) => from(prefix, alphabet, length));

const MAKERS: Readonly<Record<string, readonly Make[]>> = {
  "anthropic-key": [
    from("sk-ant-api03-", URL_SAFE, 93, "AA"),
    from("sk-ant-oat01-", URL_SAFE, 93, "AA"),
    from("sk-ant-admin01-", URL_SAFE, 93, "AA"),
  ],
  "openai-key": [
    ...fromAll("sk-proj- sk-svcacct- sk-admin-", URL_SAFE, 120),
    (random) => `sk-${random.text(ALPHANUMERIC, 20)}T3BlbkFJ${random.text(ALPHANUMERIC, 20)}`,
    from("sk-", HEX, 32),
  ],
  "openrouter-key": [from("sk-or-v1-", HEX, 64)],
  "huggingface-token": [from("hf_", LETTERS, 34)],
  "replicate-token": [from("r8_", ALPHANUMERIC, 37)],
  "groq-key": [from("gsk_", ALPHANUMERIC, 52)],
  "perplexity-key": [from("pplx-", ALPHANUMERIC, 48)],
  "xai-key": [from("xai-", ALPHANUMERIC, 80)],
  "aws-key": fromAll("AKIA ASIA", UPPER_DIGITS, 16),
  "google-key": [from("AIza", URL_SAFE, 35)],
  "google-oauth": [from("ya29.a0", URL_SAFE, 120), from("GOCSPX-", URL_SAFE, 28)],
  "azure-secret": [(random) => `${random.text(ALPHANUMERIC, 3)}8Q~${random.text(ALPHANUMERIC, 34)}`],
  "digitalocean-token": fromAll("dop_v1_ doo_v1_ dor_v1_", HEX, 64),
  "databricks-token": [from("dapi", HEX, 32)],
  "supabase-key": [from("sbp_", HEX, 40), from("sb_secret_", URL_SAFE, 31)],
  "planetscale-token": [from("pscale_tkn_", URL_SAFE, 43)],
  "grafana-token": [(random) => `glsa_${random.text(ALPHANUMERIC, 32)}_${random.text(HEX, 8)}`],
  "newrelic-key": [from("NRAK-", UPPER_DIGITS, 27)],
  "dynatrace-token": [(random) => `dt0c01.${random.text(UPPER_DIGITS, 24)}.${random.text(UPPER_DIGITS, 64)}`],
  "sentry-token": [from("sntrys_eyJ", ALPHANUMERIC, 80), from("sntryu_", HEX, 64)],
  "alibaba-key": [from("LTAI5t", ALPHANUMERIC, 18)],
  "github-token": [...fromAll("ghp_ gho_ ghu_ ghs_ ghr_", ALPHANUMERIC, 36), from("github_pat_11", ALPHANUMERIC, 80)],
  "gitlab-token": fromAll("glpat- gldt- glrt- glptt- glcbt-", URL_SAFE, 20),
  "atlassian-token": [from("ATATT3", URL_SAFE, 180)],
  "npm-token": [from("npm_", ALPHANUMERIC, 36)],
  "pypi-token": [from("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 120)],
  "rubygems-key": [from("rubygems_", HEX, 48)],
  "docker-token": [from("dckr_pat_", URL_SAFE, 27)],
  "terraform-token": [(random) => `${random.text(ALPHANUMERIC, 14)}.atlasv1.${random.text(ALPHANUMERIC, 67)}`],
  "pulumi-token": [from("pul-", HEX, 40)],
  "netlify-token": [from("nfp_", ALPHANUMERIC, 36)],
  "vercel-token": [from("vcp_", ALPHANUMERIC, 56)],
  "heroku-key": [from("HRKU-AA", URL_SAFE, 58)],
  "tailscale-key": [(random) => `tskey-auth-${random.text(ALPHANUMERIC, 12)}-${random.text(ALPHANUMERIC, 32)}`],
  "doppler-token": [from("dp.pt.", ALPHANUMERIC, 43), (random) => `dp.st.prod.${random.text(ALPHANUMERIC, 43)}`],
  "vault-token": fromAll("hvs. hvb.", URL_SAFE, 95),
  "age-key": [from("AGE-SECRET-KEY-1", UPPER_DIGITS, 58)],
  "slack-token": [
    (random) => `xoxb-${random.digits(12)}-${random.digits(13)}-${random.text(ALPHANUMERIC, 24)}`,
    (random) => `xoxp-${random.digits(12)}-${random.digits(12)}-${random.digits(12)}-${random.text(HEX, 32)}`,
    (random) => `xapp-1-A0${random.text(UPPER_DIGITS, 9)}-${random.digits(13)}-${random.text(HEX, 64)}`,
  ],
  "slack-webhook": [
    ({ text }) =>
      `hooks.slack.com/services/T${text(UPPER_DIGITS, 10)}/B${text(UPPER_DIGITS, 10)}/${text(ALPHANUMERIC, 24)}`,
  ],
  "discord-token": [
    ({ text }) => `MTIz${text(ALPHANUMERIC, 20)}.${text(ALPHANUMERIC, 6)}.${text(URL_SAFE, 38)}`,
    ({ text }) => `OTk4${text(ALPHANUMERIC, 20)}.${text(ALPHANUMERIC, 6)}.${text(URL_SAFE, 38)}`,
  ],
  "discord-webhook": [(random) => `discord.com/api/webhooks/${random.digits(18)}/${random.text(URL_SAFE, 68)}`],
  "telegram-token": [(random) => `${random.digits(10)}:AA${random.text(URL_SAFE, 33)}`],
  "sendgrid-key": [(random) => `SG.${random.text(URL_SAFE, 22)}.${random.text(URL_SAFE, 43)}`],
  "twilio-key": [from("SK", HEX, 32)],
  "mailgun-key": [from("key-", HEX, 32)],
  "mailchimp-key": [(random) => `${random.text(HEX, 32)}-us14`],
  "resend-key": [(random) => `re_${random.text(ALPHANUMERIC, 8)}_${random.text(ALPHANUMERIC, 24)}`],
  "brevo-key": [(random) => `xkeysib-${random.text(HEX, 64)}-${random.text(ALPHANUMERIC, 16)}`],
  "stripe-key": fromAll("sk_live_ rk_live_ sk_test_", ALPHANUMERIC, 24),
  "webhook-secret": [from("whsec_", ALPHANUMERIC, 32)],
  "square-token": [from("sq0atp-", URL_SAFE, 22), from("EAAA", URL_SAFE, 60)],
  "shopify-token": fromAll("shpat_ shpca_ shpss_", HEX, 32),
  "linear-key": [from("lin_api_", ALPHANUMERIC, 40)],
  "notion-token": [from("ntn_", ALPHANUMERIC, 46), from("secret_", ALPHANUMERIC, 43)],
  "figma-token": [from("figd_", URL_SAFE, 40)],
  "airtable-token": [(random) => `pat${random.text(ALPHANUMERIC, 14)}.${random.text(HEX, 64)}`],
  "postman-key": [(random) => `PMAK-${random.text(HEX, 24)}-${random.text(HEX, 34)}`],
  "contentful-token": [from("CFPAT-", URL_SAFE, 43)],
  jwt: [(random) => `eyJ${random.text(ALPHANUMERIC, 33)}.eyJ${random.text(URL_SAFE, 80)}.${random.text(URL_SAFE, 43)}`],
  "password-hash": [(random) => `$2b$12$${random.text(ALPHANUMERIC, 53)}`],
  "onepassword-token": [from("ops_eyJ", ALPHANUMERIC, 200)],
  "nuget-key": [from("oy2", LOWER_DIGITS, 43)],
};
