import type { SecretKind } from "./secret-kind.js";

const combine = (first: string, second: string, third: string): string[] =>
  [...first].flatMap((a) => [...second].flatMap((b) => [...third].map((c) => a + b + c)));

// The bot's number in base64, which leaves these characters in the first three places.
const DISCORD_BEGINNINGS = combine("MNO", "DTjz", "AEIMQUYcgk");
// SK and AC before hexadecimal digits.
const TWILIO_BEGINNINGS = [...combine("S", "K", "0123456789abcdef"), ...combine("A", "C", "0123456789abcdef")];

/** Chat, mail and telephone. */
export const messageKinds: readonly SecretKind[] = [
  {
    kind: "slack-token",
    prefixes: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-"],
    body: /[A-Za-z0-9-]{16,}/,
  },
  { kind: "slack-token", prefixes: ["xoxd-"], body: /[A-Za-z0-9%+/=_-]{16,}/ },
  { kind: "slack-token", prefixes: ["xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"], body: /[A-Za-z0-9-]{16,}/ },
  { kind: "slack-token", prefixes: ["xapp-", "xwfp-"], body: /[A-Za-z0-9-]{16,}/ },
  { kind: "slack-webhook", prefixes: ["hooks.slack.com/"], body: /(?:services|workflows|triggers)\/[\w/-]{20,}/ },
  {
    kind: "discord-webhook",
    prefixes: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    body: /\d{15,21}\/[\w-]{30,}/,
  },
  { kind: "discord-token", prefixes: DISCORD_BEGINNINGS, body: /[\w-]{19,25}\.[\w-]{6}\.[\w-]{25,}/ },
  { kind: "discord-token", prefixes: ["mfa."], body: /[\w-]{60,}/ },
  { kind: "telegram-token", prefixes: [":AA"], head: /\d{8,10}$/, body: /[\w-]{30,}/ },
  {
    kind: "teams-webhook",
    prefixes: [".webhook.office.com/webhookb2/", "outlook.office.com/webhook/"],
    head: /(?:[a-z0-9-]{1,40}|(?<=\/\/))$/i,
    body: /[\w@/-]{40,}/,
  },
  { kind: "zapier-webhook", prefixes: ["hooks.zapier.com/hooks/catch/"], body: /\d+\/\w{5,}/ },
  { kind: "sendgrid-key", prefixes: ["SG."], body: /[\w-]{16,}\.[\w-]{16,}/ },
  { kind: "twilio-key", prefixes: TWILIO_BEGINNINGS, body: /[0-9a-f]{31}(?!\w)/ },
  { kind: "mailgun-key", prefixes: ["key-"], body: /[0-9a-f]{32}(?![\w-])/ },
  { kind: "mailchimp-key", prefixes: ["-us"], head: /(?<![0-9a-f])[0-9a-f]{32}$/, body: /\d{1,2}(?!\w)/ },
  { kind: "mandrill-key", prefixes: ["md-"], body: /(?=[\w-]*\d)[A-Za-z0-9_-]{22}(?![\w-])/ },
  { kind: "resend-key", prefixes: ["re_"], body: /[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/ },
  { kind: "brevo-key", prefixes: ["xkeysib-", "xsmtpsib-"], body: /[0-9a-f]{60,}-[A-Za-z0-9]{12,}/ },
];
