import { isUnmistakable } from "../judge/is-unmistakable.js";
import { isSecretValue } from "../judge/judge-value.js";
import { kindByName } from "../kinds/named-kinds.js";
import { captureAt, type Finder, type Finding, type Stretch } from "./finding.js";

/** `-p …`, `-P…`, `-w …`: a password in a short option of any program. */
export const findOption: Finder = {
  anchors: [..."pPwWaAXxtTkK"].map((letter) => ` -${letter}`),
  isGuess: true,
  find(text, at) {
    const value = captureAt(OPTION, text, at);
    if (!value) return [];
    const { start, end } = value;
    const isFound =
      isUnmistakable(value.text) ||
      (/[pwax]/i.test(text.charAt(at + 2)) &&
        value.start > at + 3 &&
        isWithUser(text, at, end) &&
        isPlausible(value.text));
    return isFound ? [{ kind: "password", start, end, certain: false }] : [];
  },
};

const OPTION =
  /(?<![:=]) -[pPwWaAXxtTkK](?:[ \t]+|[=:])?\\*["']?(?:(?<=-[aA] ?["']?)[A-Za-z][\w.@-]{0,32}:)?([^\s"'\\|;&<>]{6,128})/dy;

const isPlausible = (value: string) =>
  isSecretValue(value, "password", "tight") && !/[/:=.]|^[a-z]+[-_]?\d$/.test(value);

/** `-u name` or `--user name` in the same command. */
function isWithUser(text: string, at: number, end: number): boolean {
  const before = /[^\n|;&]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? "";
  const after = /^[^\n|;&]*/.exec(text.slice(end, end + 160))?.[0] ?? "";
  if (HARMLESS_PROGRAM.test(before)) return false;
  return USER.test(before) || USER.test(after) || PASSWORD_PROGRAM.test(before);
}

const USER = /[ \t](?:-[uUlDa]|--?user(?:name)?|--?login)(?:[ \t]+|=)["']?[A-Za-z][\w.@\\/=,-]*/;
const HARMLESS_PROGRAM =
  /\b(?:mkdir|cp|tar|docker run|podman run|ssh|scp|rsync|nmap|git|grep|rg|ps|tsc|make|install|netstat)\b[^|;&]*$/;
const PASSWORD_PROGRAM =
  /\b(?:isql|ipmitool|snmp\w+|security|signtool|ncftp\w*|rabbitmqadmin|sqlcmd|bcp|ldap\w+|openstack|kinit|mosquitto_\w+|nuget|twine|influx|vncviewer|cqlsh|beeline|hdbsql|tsql|mqtt|zabbix\w*|winrs|plink|pscp)\b/;

/** Arguments that follow each other: `qpdf --encrypt user owner 256`, `az … --value …`. */
export const positionFinders: readonly Finder[] = [
  positions(
    ["--encrypt "],
    /--encrypt[ \t]+["']?([^\s"']{6,64})["']?[ \t]+["']?([^\s"']{6,64})["']?[ \t]+(?:40|128|256)\b/dy,
  ),
  positions(["_pw "], /_pw[ \t]+["']?([^\s"']{6,64})/dy),
  positions(["tapikey ", "cargo login ", "npm login "], /[a-z]{3,9}(?: login)?[ \t]["']?([^\s"'-][^\s"']{15,256})/diy),
  positions(["\nuser ", "\\nuser "], /\\?n?\n?user[ \t]+[\w.@-]{1,64}[ \t]+([^\s"'\\]{6,64})(?=\s|\\n)/dy), // ftp
  positions(
    ["ACL SETUSER", "user default"],
    /(?:ACL SETUSER[ \t]+\S{1,64}|user default)[ \t][^\n]{0,80}?>([^\s"'><]{6,128})/dy,
  ),
  positions(["ats auth "], /ats auth[ \t]+[\w.@-]{1,64}:([^\s"']{6,128})/dy),
  positions(["http-basic."], /http-basic\.\S{3,64}[ \t]+["']?[\w.@-]{1,64}["']?[ \t]+["']?([^\s"']{6,128})/dy),
  positions([" EAP ", " XAUTH ", " PSK "], / (?:EAP|XAUTH|PSK)[ \t]+\\*"([^\s"\\]{6,128})\\*"/dy),
  positions(
    ["munity ", "teUser "],
    /(?:munity|teUser)[ \t]+["']?(?:\w+[ \t]+(?:SHA|MD5)[\w-]*[ \t]+["']?)?([^\s"']{6,64})["']?(?:[ \t]+(?:AES|DES)\w*[ \t]+["']?([^\s"']{6,64}))?/dy,
  ),
  positions(
    ["t 0 ", "t 5 ", "d 0 ", "d 7 "],
    /(?<=secre)t [05] ([^\s"']{6,128})|(?<=passwor)d [07] ([^\s"']{6,128})/dy,
  ),
  positions(
    ["AUTH "],
    /(?<=^|[\n>"'`\]] ?)AUTH[ \t]+(?:[\w.-]{1,32}[ \t]+)?["']?([^\s"'\\]{6,128})["']?[ \t]*(?=$|\n|\\n)/dy,
  ),
  positions(
    ["ssh-keygen"],
    /ssh-keygen[ \t][^\n|;&]{0,120}?[ \t]-[NP][ \t]+["']?([^\s"']{6,128})(?:["']?[ \t]+-[NP][ \t]+["']?([^\s"']{6,128}))?/dy,
  ),
  positions(["radius", "tacacs"], /[\w-]{6,24}[^\n]{0,80}? key (?:[0-7] )?["']?([^\s"']{6,128})/diy),
  positions(
    ["snmp-server user"],
    /snmp-server user[^\n]{1,80}? auth (?:md5|sha)\S{0,5} ([^\s"']{6,64})(?: priv (?:des|3des|aes)(?: \d{3})? ([^\s"']{6,64}))?/diy,
  ),
  positions(["digest-key ", "key-chain "], /\w{3,6}-(?:key|chain) \d{1,3} (?:md5|sha\d*)? ?(?:\d )?([^\s"']{6,64})/dy),
  positions(["334 UGFzc3dvcmQ6"], /334 UGFzc3dvcmQ6(?:\r?\n|\\+n)(?:[A-Z]: )?([A-Za-z0-9+/]{8,}={0,2})/dy), // SMTP
  positions(["-u ", "--user "], /--?u(?:ser)? ["']?([\w-]{20,128}):(?=["'\s]|api_token|x-oauth|X\b|$)/dy),
  positions(
    ["SecureString"],
    /SecureString["']?[^\n;|]{0,80}? --value[ =]["']?([^\s"']{6,128})|(?<=--value[ =]["']?([^\s"']{6,128})["']?[^\n;|]{0,80})SecureString/dy,
  ),
  positions(["BUNDLE_"], /BUNDLE_[A-Z_]{3,64}["']?[=:][ \t]?["']?[\w.-]{1,64}:([^\s"']{6,128})/dy),
  positions(["appid="], /(?<=[?&])appid=([0-9a-f]{32})(?!\w)/dy),
  positions([" on >"], /(?<=\buser \S{1,64}) on >([^\s"'><]{6,128})/dy),
  positions(
    ["bundle config"],
    /bundle config[ \t]+(?:set[ \t]+)?(?:--\w+[ \t]+)*[\w-]+\.[\w.-]+[ \t]+([\w.-]+:[^\s"']{4,128})/dy,
  ),
  positions(
    ["u: ", "user: ", "user=", "login: ", "u="],
    /(?<![\w.])(?:u|user|login)[:=][ \t]*["']?[\w.@-]{2,64}["']?[ \t]*[,;/|]?[ \t]*\bp(?:w|ass)?[:=][ \t]*["']?([^\s"',;]{6,128})/diy,
  ),
  positions(
    ["2fa ", "totp", "mfa ", "authenticator", "otp s", "otp k"],
    /[\w-]{3,13}(?:[ \t]+[\w-]{1,16}){0,4}?[ \t]*(?:[:=]|\bis\b)?[ \t]*["'`(]?((?=[A-Z]*[2-7])[A-Z2-7]{16,64}|(?=[a-z ]*[2-7])[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![\w])/diy,
  ),
  positions(["/p ", " -pw "], /(?:\/p|-pw)[ \t]+["']?([^\s"'\\/:=]{8,64})["']?(?=\s|$)/dy),
  positions(["nar.login="], /nar\.login=["']?([^\s"'\\]{8,128})/dy),
  positions(["-server key ", "isakmp key ", "key-string "], /[\w-]{6,7}(?: key)? (?:[0-7] )?["']?([^\s"']{6,128})/dy),
  positions(["basic_auth '", 'basic_auth "'], /basic_auth[ \t]+["'][^"'\n]{1,64}["'],[ \t]*["']([^"'\n]{4,128})["']/dy),
  positions(
    ["sp_add", "sp_password"],
    /sp_\w{5,16}[ \t]+(?:@\w+[ \t]*=[ \t]*)?N?'[^'\n]{1,64}',[ \t]*(?:@\w+[ \t]*=[ \t]*)?N?'([^'\n]{4,128})'/dy,
  ),
  positions(
    ["<(echo", "<(printf"],
    /(?<=(?:pass|key|secret|token|vault)[^\n]{0,60})<\((?:echo|printf)[ \t]+(?:-n[ \t]+)?["']?([^\s"')]{6,128})/dy,
  ),
  positions(["| ConvertTo-Sec"], /(?<=["']([^"'\n]{4,128})["'][ \t]*)\| ConvertTo-Sec/dy),
  positions(["db2 connect"], /db2 connect to \w+ user \S+ using ([^\s"';]{4,128})/dy),
  positions(["openssl passwd"], /openssl passwd[ \t]+(?:-\w+[ \t]+){0,3}["']?([^\s"'-][^\s"']{5,127})/dy),
  positions(["root / ", "admin / "], /(?:root|admin) \/ ["'`]?([A-Za-z\d][^\s"'`/]{7,63})(?=["'`.,]?(?:\s|$))/dy),
  positions(["root:", "admin:"], /(?<![\w.@/-])(?:root|admin):(?=[^\s:]{8,64}(?:\s|$))([A-Za-z\d][^\s"'`/:]{7,63})/dy),
  positions(["WIFI:"], /WIFI:[^\s]{0,80}?;?P:([^\s;]{6,63});/dy),
  positions(["]:25 ", "]:587 ", "]:465 "], /\]:\d{2,3}[ \t]+[\w.@+-]{1,64}:([^\s"']{4,128})/dy), // Postfix
  positions(
    ["@smtp", "@mail", "@imap", "@ftp"],
    /(?<=(?:^|[\s"'=])[\w.-]{1,64}:([^\s"'@:/]{6,64}))@[\w.-]{4,64}(?::\d{2,5})?/dy,
  ),
  positions(
    ["invoke-command", "Invoke-Command"],
    /[Ii]nvoke-[Cc]ommand[^\n]{0,80}\("[\w.\\-]{1,64}",[ \t]*"([^"\n]{6,128})"\)/dy,
  ),
];

function positions(anchors: readonly string[], pattern: RegExp): Finder {
  return {
    anchors,
    isGuess: true,
    anyCase: pattern.ignoreCase,
    find: (text, at) => [1, 2].flatMap((group) => toFinding(text, at, captureAt(pattern, text, at, group))),
  };
}

function toFinding(text: string, at: number, value: Stretch | undefined): Finding[] {
  if (value === undefined || !isSecretValue(value.text, "password", "tight")) return [];
  const kind = kindByName(text.slice(at, value.start), value.text) ?? "password";
  return [{ kind, start: value.start, end: value.end, certain: false }];
}
