import { isSecretValue, type Tie } from "../judge/judge-value.js";
import { SECRET_FILE } from "./find-printed.js";
import { captureAt, type Finder, type Finding, matchedGroup } from "./finding.js";

/** Passwords and tokens in the notations of commands, such as `curl -u user:…`, `mysql -p…`, `net use … /user:`. */
export const commandFinders: readonly Finder[] = [
  passwordIn(
    [
      " -u",
      " -a ",
      "--user",
      "--proxy-user",
      "--creds",
      ...["s", "k", "sk", "ks", "sS", "fsS", "v", "L", "i"].map((flags) => ` -${flags}u`),
    ],
    / ?(?:-[skSfvLi]{0,3}u|-a|--user|--proxy-user|--(?:src-|dest-)?creds)[ =]{0,4}["'\\]*[^\s:"'\\/]{0,64}:["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["sshpass"], /sshpass[ \t]+-p[ \t]*["'\\]*([^\s"'\\]{4,128})/dy),
  passwordIn(
    ["mysql", "mariadb"],
    /(?:mysql|mariadb)[\w-]{0,8}[ \t][^\n|;&]{0,160}?[ \t]-p["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["redis-cli"], /redis-cli[ \t][^\n|;&]{0,160}?(?<=[ \t])-a[ \t]+["'\\]*([^\s"'\\]{4,128})/dy),
  passwordIn(
    ["docker login", "podman login", "helm registry login", "az acr login", "oc login", "az login", "crane auth login"],
    /[a-z ]{0,20}login[ \t][^\n|;&]{0,160}?(?<=[ \t])-p[ \t=]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["mongosh", "mongo ", "mongodump", "mongorestore", "psexec", "twine upload", "rdesktop", "influx "],
    /[A-Za-z]{4,12}(?: upload|\.exe)?[ \t][^\n|;&]{0,160}?(?<=[ \t])-p[ \t]*["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["7z ", "7za ", "7zz ", "rar "],
    /(?:7z[az]?|rar)[ \t][^\n|;&]{0,120}?(?<=[ \t])-h?p["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["zip ", "unzip ", "sqlcmd", "bcp "],
    /(?:un)?(?:zip|sqlcmd|bcp)[ \t][^\n|;&]{0,160}?(?<=[ \t])-P[ \t]*["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldapdelete", "ldappasswd"],
    /ldap[a-z]{3,8}[ \t][^\n|;&]{0,200}?(?<=[ \t])-[ws][ \t]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["useradd", "usermod"],
    /user(?:add|mod)[ \t][^\n|;&]{0,120}?(?<=[ \t])-p[ \t]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["smbclient", "rpcclient", "smbmap", "winexe", "net rpc", "net ads", "cifs"],
    /[a-z]{3,9}(?: [a-z]{3})?[ \t][^\n|;&]{0,160}?(?:-U|--user=?|user=)[ \t]*["'\\]*[^\s%"']{1,64}%([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["htpasswd"],
    /htpasswd[ \t]+-\w{0,4}b\w{0,4}[ \t]+(?:-[\w]+[ \t]+(?:\d+[ \t]+)?)*(?:\S*[./]\S*[ \t]+|(?<=n\w{0,3}[ \t]+))?["'\\]*[\w.@-]{1,64}["'\\]*[ \t]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["lftp", "ncftp", "sftp "],
    /[a-z]{4,5}[ \t][^\n|;&]{0,80}?-u[ \t]*["'\\]*[\w.@-]{1,64},([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["rabbitmqctl"],
    /rabbitmqctl[ \t]+(?:add_user|change_password|authenticate_user)[ \t]+["']?[\w.@-]{1,64}["']?[ \t]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(
    ["sqlplus", "jdbc:oracle:thin:", "expdp ", "impdp "],
    /(?:sqlplus[ \t]+(?:-[a-zA-Z]+[ \t]+)*|jdbc:oracle:thin:|(?:ex|im)pdp[ \t]+)["']?[\w$.]{1,64}\/["'\\]*([^\s"'\\/@]{4,128})["'\\]*@/dy,
  ),
  passwordIn(
    ["net use", "NET USE"],
    /net use[ \t]+(?:[a-z]:[ \t]+|\*[ \t]+)?\\[^\s]{3,128}[ \t]+["']?([^\s"'/*][^\s"']{3,127})["']?[ \t]+\/u/diy,
  ),
  passwordIn(["net use", "NET USE"], /net use[ \t][^\n]{0,160}?\/user:\S{1,64}[ \t]+["']?([^\s"'/*][^\s"']{3,127})/diy),
  passwordIn(["net user", "NET USER"], /net user[ \t]+["']?[\w.-]{1,64}["']?[ \t]+["']?([^\s"'/*][^\s"']{3,127})/diy),
  passwordIn(
    [" /pass:", " /password:", " /p:", " /pw:", " /rp "],
    / \/(?:pass|password|p|pw|rp)[: ](?!\w+=)["']?([^\s"']{4,128})/dy,
  ),
  passwordIn(
    ["ConvertTo-SecureString", "convertto-securestring"],
    /ConvertTo-SecureString[ \t]+(?:-(?:AsPlainText|Force|String)[ \t]+){0,3}["']([^"'\n]{4,128})["']/diy,
  ),
  passwordIn(
    ["IDENTIFIED ", "identified "],
    /identified (?:with \w{4,32} )?by[ \t]+(?:password[ \t]+)?["'\\]+([^\s"'\\]{4,128})/diy,
  ),
  passwordIn(
    [":5432:", ":5433:", ":5434:", ":6432:", ":6543:", ":*:"],
    /:(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:([^\s:"'\\]{4,128})/dy,
  ), // .pgpass
  passwordIn(["pass:"], /(?<=[\s"'=])pass:([^\s"'\\]{4,128})/dy), // openssl -passin pass:…
  passwordIn(
    [
      "auth=(",
      "BasicAuth(",
      "Credential(",
      "Credentials(",
      ".login(",
      "basic_auth(",
      "basicAuth(",
      "authenticate(",
      ".auth(",
      "credential]::new(",
    ],
    /[\w.\]:]{4,16}=?\(\s*["'][^"'\n]{1,64}["']\s*,\s*["']([^"'\n]{4,128})["']/dy,
  ),
  passwordIn(
    [".type(", ".fill(", "sendKeys(", "send_keys(", "setValue(", "fill_in", "input_text"],
    /(?<=(?:passw|passcode|pwd|kennwort)[^\n]{0,80})[\w.]{4,12}\(\s*["']([^"'\n]{4,128})["']\s*\)/diy,
  ),
  passwordIn(['send "', 'send -- "'], /(?<=assword[^\n]{0,40}\n?[^\n]{0,24})send (?:-- )?\\*"([^"\n\\]{4,64})\\+r/dy), // expect
  passwordIn(
    [".type(", ".fill("],
    /\.\w{4}\(\s*["'][^"'\n]{0,80}(?:passw|passcode|pwd|kennwort|secret)[^"'\n]{0,40}["'],\s*["']([^"'\n]{4,128})["']/diy,
  ),
  passwordIn(
    ['"-p', "'-p"],
    /(?<=["'](?:mysql|maria|mongo|redis|7z|sshpass|docker|docker-)[\w-]*["'],[^\n]{0,160})["']-p(?:["'],\s*["'])?([^\s"'\\]{4,128})["']/dy,
  ),
  passwordIn(
    ['"-u"', "'-u'", '"--user"', "'--user'"],
    /["']--?u(?:ser)?["'],\s*["'][\w.@-]{1,64}:([^\s"'\\]{4,128})["']/dy,
  ),
  passwordIn(
    ["bw unlock", "bw login"],
    /bw (?:unlock|login(?:[ \t]+[\w.+-]+@[\w.-]+))[ \t]+(?:--\w+[ \t]+)*["']?([^\s"'-][^\s"']{5,127})/dy,
  ),
  passwordIn(["login="], /(?<=[\s"']|^)login=[\w.@-]{1,64}:([^\s"'\\]{4,128})/dy),
  passwordIn(
    ["openssl enc", "openssl aes"],
    /openssl [\w-]{3,16}[^\n|;&]{0,120}?(?<=[ \t])-k[ \t]+["']?([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["rootpw"], /rootpw[ \t]+(?:--\w+[ \t]+)*["']?([^\s"'-][^\s"']{3,127})/dy),
  passwordIn(["wpa_passphrase"], /wpa_passphrase[ \t]+["']?[^\s"']{1,32}["']?[ \t]+["']?([^\s"']{8,63})/dy),
  userAndPassword(
    [" / ", " | "],
    /(?<=(?:log(?:in)?|sign|user(?:name)?|account|credentials?|creds?|logon|zugangsdaten|anmeldedaten|zugang|identifiants|credenciales|credenziali)(?:\\*["'*])*[ \t]*(?:[:=→–]|[-=]>|\bare\b|\bis\b|\bin (?:with|as)\b|\bwith\b)(?:\\*["'*])*[ \t]*[\w.@-]{2,64})[ \t]+[/|][ \t]+([^\s"'\\/:]{6,128})/diy,
  ),
  userAndPassword(
    ["credentials", "creds", "login:"],
    /(?:login|credentials?|creds?)(?:\\*["'])?(?:[ \t]*[:=]|[ \t]+(?:is|are))[ \t]*(?:\\*["'])?(?!https?:)[\w.@-]{2,64}:(?!\/\/)([^\s"'\\/:]{6,128})/diy,
  ),
  tokenIn(
    [
      "vault operator unseal",
      "vault login",
      "vault unseal",
      "snyk auth",
      "ngrok ",
      "railway login",
      "flyctl auth",
      "netlify login",
      "doctl auth",
      "tailscale up",
      "cloudflared ",
    ],
    /[a-z]{4,11}[ \t](?:(?:operator |config |http |tunnel )?(?:unseal|login|auth|authtoken|add-authtoken|up|run|service install)(?: init)?)[ \t]+(?:-{1,2}[a-z-]{1,16}[= ])?["']?([^\s"'\\-][^\s"'\\]{15,256})/dy,
  ),
  tokenIn(
    ["mc alias set", "mc config host add"],
    /mc (?:alias set|config host add)[ \t]+\S{1,64}[ \t]+\S{1,128}[ \t]+["']?\S{1,64}["']?[ \t]+["']?([^\s"'\\]{8,128})/dy,
  ),
  tokenIn(
    ["secret set", "secrets set", "secret put", "secret create", "secrets create", "variable set"],
    /(?:secrets?|variable) (?:set|put|create)[ \t][^\n|;&]{0,100}?(?:--body|--value|-b|--data|-v)[ =]+["']?([^\s"'\\]{8,256})/dy,
  ),
];

function passwordIn(anchors: readonly string[], pattern: RegExp): Finder {
  return { anchors, isGuess: true, find: (text, at) => findAt(text, at, pattern, "tight") };
}

/** For what machines issue: only a random value counts. */
function tokenIn(anchors: readonly string[], pattern: RegExp): Finder {
  return {
    anchors,
    isGuess: true,
    find(text, at) {
      const token = captureAt(pattern, text, at);
      const isFound = token && isSecretValue(token.text, "key", "tight");
      return isFound ? [{ kind: "secret", start: token.start, end: token.end, certain: false }] : [];
    },
  };
}

function findAt(text: string, at: number, pattern: RegExp, tie: Tie): readonly Finding[] {
  const password = captureAt(pattern, text, at);
  const isFound = password && isSecretValue(password.text, "password", tie);
  return isFound ? [{ kind: "password", start: password.start, end: password.end, certain: false }] : [];
}

/** `Login: dana / …`, `credentials: dana:…`. */
function userAndPassword(anchors: readonly string[], pattern: RegExp): Finder {
  return { anchors, isGuess: true, anyCase: true, find: (text, at) => findAt(text, at, pattern, "said") };
}

/** What is piped or fed into a program that asks for a secret. */
export const findPiped: Finder = {
  anchors: ["echo ", "printf ", "<<< ", '<<<"', "<<<'", "chpasswd"],
  isGuess: true,
  find(text, at) {
    const values = text.startsWith("chpasswd", at) ? hereDocument(text, at) : [pipedValue(text, at)];
    return values.flatMap((value) => {
      if (!value || !isSecretValue(value.text, "password", "tight")) return [];
      return [{ kind: "password", start: value.start, end: value.end, certain: false }];
    });
  },
};

const TAKES_SECRET =
  "(?:chpasswd|passwd\\b|sudo[ \\t]+(?:-\\w+[ \\t]+)*-S|--password-stdin|--pass(?:word|phrase)?-fd|--with-token|--token-stdin|-passin stdin|secrets?[ \\t]+(?:put|set|create|add|versions)|cryptsetup|su -|kinit|gh auth)";
const ECHOED = new RegExp(
  `(?:echo|printf)[ \\t]+(?:-[neE]+[ \\t]+)?(?:["']%s(?:\\\\+n)?["'][ \\t]+)?\\\\*(["']?)(?:[\\w.-]{1,32}:)??([^\\s"'\\\\|]{4,256})\\\\*\\1[ \\t]*\\|[^\\n|]{0,120}?${TAKES_SECRET}`,
  "dy",
);
const CHPASSWD_PAIR =
  /(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?\\*["']?[\w.-]{1,32}:([^\s"'\\|]{4,128})\\*["']?[ \t]*\|[^\n|]{0,80}?chpasswd/dy;
const FED = /<<<[ \t]*\$?\\*["']?([^\s"'\\|]{4,256})/dy;
const FED_BEFORE =
  /(?:ssh-add|\bage |gpg|unlock|luks|vnc|login|token|passw|secret|auth|unseal|cryptsetup|sudo[^\n]{0,20} -S)[^\n|;]{0,60}$/i;

function pipedValue(text: string, at: number) {
  if (!text.startsWith("<<<", at))
    return captureAt(CHPASSWD_PAIR, text, at) ?? captureAt(ECHOED, text, at, 2) ?? writtenValue(text, at);
  const isSecret = FED_BEFORE.test(text.slice(Math.max(0, at - 80), at));
  return isSecret ? captureAt(FED, text, at) : undefined;
}

const WRITTEN =
  /(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?(?:["']%s(?:\\+n)?["'][ \t]+)?\\*["']?([^\s"'\\|>]{4,256})\\*["']?[ \t]*>{1,2}[ \t]*([^\s|;&]{1,128})/dy;

/** `echo … > .vault_pass` */
function writtenValue(text: string, at: number) {
  const file = captureAt(WRITTEN, text, at, 2);
  return file && SECRET_FILE.test(file.text) ? captureAt(WRITTEN, text, at, 1) : undefined;
}

const HERE_DOCUMENT = /chpasswd[^\n]{0,40}<<-?[ \t]*["'\\]*(\w{1,16})["']?(?:\n|\\+n)/dy;
const PAIR_LINE = /[ \t]*[\w.-]{1,32}:([^\s"'\\]{4,128})(?:\n|\\+n|$)/dy;

function hereDocument(text: string, at: number) {
  HERE_DOCUMENT.lastIndex = at;
  if (!HERE_DOCUMENT.test(text)) return [];
  const values = [];
  let from = HERE_DOCUMENT.lastIndex;
  for (
    let match = matchFrom(PAIR_LINE, text, from);
    match && values.length < 200;
    match = matchFrom(PAIR_LINE, text, from)
  ) {
    values.push(matchedGroup(match, 1));
    from = PAIR_LINE.lastIndex;
  }
  return values;
}

function matchFrom(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
