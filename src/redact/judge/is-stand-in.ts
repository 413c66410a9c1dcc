import { wordiness } from "./is-random.js";

/** A sample or reference in place of a secret: `your-api-key-here`, `xxxx`, `<TOKEN>`, `${TOKEN}`, `changeme`. */
export function isStandIn(value: string): boolean {
  return isReference(value) || isMask(value) || isSampleWording(value) || isShortSequence(value);
}

/** For what follows an issuer's prefix: only a mask or a phrase is a stand-in there. */
export function isStandInBody(body: string): boolean {
  const isPhrase = wordiness(body) >= 0.65 && !/^[A-Z0-9]*\d[A-Z0-9]*$/.test(body); // no phrase in AWS' alphabet has digits
  return isPhrase || isMask(body);
}

const REFERENCES: readonly RegExp[] = [
  /\$\{|\{\{|\$\(|<%|#\{|\[REDACTED/, // templates
  /^\$(?:[A-Za-z_]\w*(?:[/.:]|$)|\d?$)/, // shell variables
  /^%(?:\w+%$|\(\w+\)s|[sdv]$)|^:[a-z_]+$|^@[\w./-]+$/, // Windows, Python and SQL variables, @file
  /^[{<[]/,
  /^(?:process\.env|import\.meta|os\.|env[.:([]|ENV[.[]|secrets?\.)/,
  /^(?:vault|ref\+|arn|op|ssm|keyring|file|sops|ENC)[:[]/, // where a secret is stored
  /^!(?:Ref|Sub|GetAtt|Join|ImportValue|secret|vault|env|include|reference)\b/, // YAML
];

function isReference(value: string): boolean {
  return REFERENCES.some((reference) => reference.test(value));
}

/** `xxxxxxxx`, `sk-xxxx…`, `********`, `0000-0000`, or a secret with only its ends visible. */
function isMask(value: string): boolean {
  if (/[xX]{8}|\*{3}|•{3}|\.{3}|…|#{6}|_{6}/.test(value)) return true;
  const letters = value.replace(/[^A-Za-z0-9*•#]/g, "");
  return letters.length > 0 && /^(?:x+|X+|0+|[*•#]+)$/.test(letters);
}

const SAMPLE_WORDS = new Set(
  (
    "your my the a an this that some any here there insert replace replaceme with enter put goes add paste set use " +
    "example examples sample test tests testing tester dummy fake mock mocked stub placeholder todo tbd fixme foo bar " +
    "baz qux none null nil undefined true false yes no on off default value values string str text redacted hidden " +
    "masked removed omitted secure insecure super strong weak admin administrator user username users root guest demo " +
    "dev local localhost abc abcd xyz api key keys apikey token tokens secret secrets password passwords passwd pass " +
    "pwd passphrase access auth client private public id real not very db database app prod production staging " +
    "required optional invalid valid wrong correct bad good new old current bearer basic change changeme changeit me " +
    "postgres postgresql mysql mongo mongodb redis rabbitmq mariadb minio elastic docker letmein qwerty hello world " +
    "openai anthropic github gitlab stripe aws google azure slack npm and or for of to in is be must it long random " +
    "first second one two three login hash hashed plain encrypted unknown empty never always same other another x xx xxx " +
    "mytoken mykey mysecret mypassword mypass myapikey yourtoken yourkey yoursecret yourpassword yourapikey secretkey " +
    "accesstoken authtoken testtoken testkey testpassword testsecret"
  ).split(" "),
);

/** Only words of samples, with few or counting digits: `test-token-123`, `Password1`. */
function isSampleWording(value: string): boolean {
  if (!/^[\w\s.,:'@/-]*[!?]?$/.test(value)) return false;
  const words = value.replace(/([a-z])([A-Z])/g, "$1 $2").match(/[A-Za-z]+/g) ?? [];
  const digits = value.match(/\d+/g) ?? [];
  return (
    words.length > 0 &&
    words.every((word) => SAMPLE_WORDS.has(word.toLowerCase())) &&
    digits.every((run) => run.length <= 4 || isShortSequence(run))
  );
}

const COUNTING = "0123456789012345678901234567890 9876543210 abcdefghijklmnopqrstuvwxyz";

/** `abc123`, `1234567890`, `abcdef123456`, `aaaaaa`: shorter than what issuers issue, and made of runs that count. */
function isShortSequence(value: string): boolean {
  if (value.length >= 20) return false;
  const runs = value.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
  return runs.length > 0 && runs.every((run) => COUNTING.includes(run) || /^(.)\1*$/.test(run)) && runs.length <= 4;
}
