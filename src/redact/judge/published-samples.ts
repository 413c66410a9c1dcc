/**
 * Keys that issuers print in their own documentation. They open nothing, and half the tutorials of the world quote them.
 * What only looks like a sample (`…test…`, `…EXAMPLE…` in the middle) is not on the list.
 */
export function isPublishedSample(value: string): boolean {
  return SAMPLES.has(value) || FORMS.some((form) => form.test(value));
}

const SAMPLES: ReadonlySet<string> = new Set([
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", // AWS
  "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
  "sk_test_4eC39HqLyjWDarjtT1zdp7dc", // Stripe
  "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
  "sk_test_26PHem9AhJZvU623DfE1x4sd",
  "rk_test_4eC39HqLyjWDarjtT1zdp7dc",
  "pk_test_TYooMQauvdEDq54NiTphI7jx",
  "6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe", // reCAPTCHA's test keys
  "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI",
  "0x4AAAAAAAAAAAAAAAAAAAAA", // Turnstile
  "1x0000000000000000000000000000000AA",
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", // Azurite
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==", // Cosmos DB's emulator
  "dGhlIHNhbXBsZSBub25jZQ==", // RFC 6455
  "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", // RFC 7617: Aladdin:open sesame
  "mF_9.B5f-4.1JqM", // RFC 6750
  "xoxb-not-a-real-token-this-will-not-work", // Slack
  "hunter2", // a joke of IRC
  "your-256-bit-secret",
]);

const FORMS: readonly RegExp[] = [
  /^A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{5,9}EXAMPLE$/, // AWS: AKIAIOSFODNN7EXAMPLE, AKIAI44QH8DHBEXAMPLE
  // jwt.io: {"sub":"1234567890","name":"John Doe", …
  /^eyJ[\w-]+\.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI[\w-]*\.[\w-]*$/,
];
