import { isStandIn } from "../judge/is-stand-in.js";
import { judgeName } from "../judge/judge-name.js";
import { isSecretValue } from "../judge/judge-value.js";
import { type Finder, matchedGroup, type Stretch } from "./finding.js";

/** A secret that a command prints alone on the next line, as in a transcript of a terminal: `$ pass show nas`. */
export const findPrinted: Finder = {
  anchors: [
    ...[..."\n~:]/\"'`>", "\\n"].flatMap((before) => [`${before}$ `, `${before}% `]),
    ...[
      "]# ",
      "~# ",
      ":# ",
      "/# ",
      "❯ ",
      ">>> ",
      "irb> ",
      "pry> ",
      "> Rails.",
      "(Pdb) ",
      "> process.env",
      "> ENV[",
      "> echo ",
      "> cat ",
      "> Get-Content ",
      "> type ",
    ],
    ...["> gh ", "> op ", "> az ", "> aws ", "> gcloud ", "> kubectl ", "> vault ", "> pass ", "> printenv "],
  ],
  isGuess: true,
  find(text, at) {
    NEXT.lastIndex = at;
    const match = NEXT.exec(text);
    const value = matchedGroup(match, 2);
    return value && isPrinted(match?.[1] ?? "", value)
      ? [{ kind: "secret", start: value.start, end: value.end, certain: false }]
      : [];
  },
};

// The rest of the command line, then a line that is nothing but one value
const NEXT =
  /\n?([^\n\r\\]{4,240}(?:\\["'][^\n\r\\]{0,240}){0,8})(?:\r?\n|\\+n)(?:=>|>>>)?[ \t]*[bu]?\\*["']?([^\s"'`\\]{6,512})\\*["']?[ \t]*(?=\r?\n|\\+n|$|")/dy;

const isPrinted = (command: string, { text }: Stretch) => printsSecret(command) && isBareSecret(text);

/** What a command that prints one secret has printed, alone. */
export function isBareSecret(value: string): boolean {
  if (value.length < 6 || value.length > 512) return false;
  if (isStandIn(value) || /^[/~.\\]|:\/\/|^\w{1,24}[:=]$|^[a-z]+(?:-[a-z]+)*-?\d{0,2}$|^[A-Z]?[a-z]+$/.test(value))
    return false;
  return (
    isSecretValue(value, "password", "tight") ||
    isSecretValue(value, "key", "quoted") ||
    isSecretValue(value, "secret", "tight")
  );
}

const PRINTERS =
  /\b(?:pass (?:show )?[\w./@-]+|gopass (?:show )?|op read|op item get|(?:gh|glab|fly|flyctl|heroku) auth[: ]token|bw get password|rbw get|lpass show|keepassxc-cli|vault (?:kv get|read) .*-field|vault (?:kv get|read)|vault (?:print )?token|security find-(?:generic|internet)-password .*-w|secret-tool lookup|aws ecr get-login|aws ssm get-parameter|aws secretsmanager get-secret-value|aws secretsmanager get-secret|gcloud auth (?:application-default )?print|gcloud secrets versions access|az account get-access|az keyvault secret show|kubectl .*get secrets? .*-o|oc whoami -t|oc get secret .*-o|chamber read|doppler secrets get|infisical secrets get|sops (?:-d|decrypt)|Rails\.application\.credentials|gpg (?:-d|--decrypt)|ansible-vault view|age -d|npm token create|openssl rand|pwgen|apg|mkpasswd|makepasswd|wg gen(?:key|psk)|create token|head -c \d+ \/dev\/u?random)\b/;
const READERS = /\b(?:cat|head|tail|less|bat|type|Get-Content|jq|yq)\b/;
/** Files that hold one secret: `/run/secrets/db`, `.vault_pass`, `api.token`, `id_rsa`. */
export const SECRET_FILE =
  /(?:^|[\s"'/=])(?:[^\s"']*\/)?(?:run\/secrets\/[\w.-]+|\.?[\w.-]*(?:passw(?:or)?d|passphrase|_pass|-pass|secret|token|api[_-]?key|credentials?|\.pgpass|\.netrc|_rsa|_ed25519|cookie|keyfile)[\w-]*(?:\.(?:txt|key|pem|secret|token|pw|pass|dat))?|[\w.-]+\.(?:key|token|secret|pw|pass|passwd))(?=$|[\s"'|;])/i;
const OTHER_FILE = /\.(?:ts|js|py|go|rs|java|rb|md|tsx|jsx|php|c|h|html|css|lock|pub|crt|example|sample)\b/;

/** Whether a path, or one in a command, is that of a file that holds a secret. */
export const readsSecretFile = (text: string): boolean => SECRET_FILE.test(text) && !OTHER_FILE.test(text);

const VARIABLE =
  /(?:printenv|echo)[ \t]+["']?\$?\{?([A-Za-z_]\w*)|(?:ENV\[|environ\[|environ\.get\(|getenv\(|process\.env[.[])["']?(\w+)|print\(([\w.]+)\)|(?:>>>|\(Pdb\)|irb>|pry>) (?:pp? )?[\w.]*?(\w+)$|(?:get|output|-raw|config:get|--get)\s+(?:[-\w=]+\s+)*["']?([\w.:/-]+)/g;

/** Whether what a command prints is a secret, as far as its words tell. */
export function printsSecret(command: string): boolean {
  if (/[|]\s*(?:wc|sha\d*sum|md5sum|shasum|openssl dgst)\b|\bls\b/.test(command)) return false;
  if (PRINTERS.test(command)) return true;
  if (READERS.test(command) && readsSecretFile(command)) return true;
  return [...command.matchAll(VARIABLE)].some(([, ...names]) =>
    names.some((name) => name !== undefined && judgeName(name) !== undefined),
  );
}
