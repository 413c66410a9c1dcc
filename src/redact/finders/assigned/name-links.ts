import type { Tie } from "../../judge/judge-value.js";
import type { AssignedName } from "./assigned-name.js";

/** What is between a name and its value. */
export interface Link {
  readonly end: number;
  /** How it ties a quoted value, and one without quotes, to the name. */
  readonly quoted: Tie;
  readonly bare: Tie;
  /** A bare value counts only if nothing follows on its line. */
  readonly isLineOnly?: boolean;
}

/** The first notation that matches the text after a name. */
export function findLink(text: string, name: AssignedName): Link | undefined {
  const before = text.charAt(name.start - 1);
  if (before === "<" && text.charAt(name.end) === ">") {
    const inner = ELEMENT_START.exec(text.slice(name.end, name.end + 80))?.[0] ?? ">";
    return { end: name.end + inner.length, quoted: "quoted", bare: "tight" };
  }
  if (before === ":" && /^:\S/.test(text.slice(name.end, name.end + 2))) return undefined; // arn:…:secret:…
  const isPathEnd = before === "/" || before === "\\"; // /etc/passwd
  for (const [pattern, toTies] of isPathEnd ? PATH_NOTATIONS : NOTATIONS) {
    pattern.lastIndex = name.end;
    const ties = pattern.test(text) ? toTies(text, name, pattern.lastIndex) : undefined;
    if (ties) return { end: pattern.lastIndex, ...ties };
  }
  return undefined;
}

const ELEMENT_START = /^>(?:\s|\\+[nrt]){0,32}(?:<(?:value|string)>\s{0,32})?(?:<!\[CDATA\[)?/i;
const QUOTE = "(?:\\\\*[\"'`]|&quot;|&#34;)";
const SIGN = "[+.]=|#[ \\t]*=>|={1,3}>?|!==?|:=|\\?\\??=|\\|\\|=|::?|<-|\\.{3,}:?|\\\\+u003[adAD]|%3[AaDd]";
const TYPED =
  ":[ \\t]*[\\w&][\\w<>[\\]|&?;' ]{0,30} = \\*?|[ \\t]+[Aa]s[ \\t]+[\\w.]{1,32}[ \\t]*=|[ \\t]*<\\w{1,8}>[ \\t]*=|\\[\\d*\\][ \\t]*=|\\[\\][ \\t]*=|=>\\s{1,12}string\\(\\d+\\)(?=[ \\t])"; // const KEY: string = …
const NEW_LINE = "(?:\\r?\\n|\\\\+n)";
// YAML's password: |, password: !!str …, password: &name …; ["…"], {"value": "…"}, $(echo …)
const BLOCK = `(?:!!\\w{1,16}[ \\t]+|&\\w{1,32}[ \\t]+)?(?:[|>][-+]?[ \\t]*${NEW_LINE}[ \\t]+|\\[\\s*(?=${QUOTE})|\\{\\s*${QUOTE}(?:[vV]alue|S|string|stringValue|plain|raw|secret)${QUOTE}[ \\t]*:[ \\t]*|\\$\\((?:echo|printf)[ \\t]+|<<[-~]?["']?\\w{2,16}["']?${NEW_LINE}[ \\t]*)?`;
const REMARK =
  "(?: (?:is|was|set|now|generated|created|changed|reset)(?=:)| #?\\d{1,2}| I[Dd](?=[ \\t]*[:=])| \\([\\w .,/@-]{1,32}\\)| \\[[\\w*.-]{0,24}\\])?"; // Unseal Key 1: …, Secret Access Key [None]: …
const sticky = (source: string) => new RegExp(source, "y");

const ASSIGNED = sticky(`${QUOTE}?\\]?\\*{0,2}${REMARK}[ \\t]*(?:${TYPED}|${SIGN})\\*{0,2}[ \\t]*${BLOCK}`);
// token = Some("…"), var key = []byte("…"), Field(default="…"), token{"…"}
const WRAPPED = sticky(
  `${QUOTE}?\\]?[ \\t]*(?:(?:${TYPED}|${SIGN})[ \\t]*(?:new |await |&)?(?:[\\w.:<>&$]|\\[\\]){1,48}(?:\\([ \\t]*(?:[a-z_]\\w{0,24}[ \\t]*[=:][ \\t]*)?|[ \\t]*\\{[ \\t]*)|\\{|[ \\t]*,[ \\t]*(?:default\\w*|fallback|otherwise)[=:][ \\t]*|${QUOTE}\\)[ \\t]*(?:\\{[ \\t]*|\\.\\w{1,24}\\([ \\t]*))(?=[@bfru]{0,2}${QUOTE})`,
);
const MARKED_UP = sticky(
  `${QUOTE}?:?(?:\\s{0,8}(?:</?[a-zA-Z][^<>\\n]{0,64}>|&[lg]t;/?)){1,6}(?:<!\\[CDATA\\[)?\\s{0,8}(?=[^<\\s])`,
);
const INPUT = sticky(`${QUOTE}?:?(?:</\\w{1,12}>)?\\s{0,8}(?:<input)?[^<>\\n]{0,80}\\svalue=(?=${QUOTE})`);
const OPTION_VALUE = sticky(
  `${QUOTE}?[ \\t](?:[^\\n;|&]{0,80}?[ \\t])?(?:--?(?:value|v|body|data|secret-string)[ =]+|\\/d[ ]+)`,
);
const FORM_FIELD = sticky(`${QUOTE}(?:;[^\\n]{0,80})?(?:\\r?\\n|\\\\r\\\\n|\\\\n){2}`);
const SERIALIZED = sticky(`${QUOTE};s:\\d{1,4}:|${QUOTE}\\np\\d+\\n[SV](?=')`);
const PAIR_VALUE = sticky(
  `${QUOTE}(?:,\\s*${QUOTE}[\\w.-]{1,32}${QUOTE}[ \\t]*:[ \\t]*(?:${QUOTE}[^"'\\n\\\\]{0,80}${QUOTE}|[\\w.]{1,32})){0,3}(?:,|[ \\t]*\\})?(?:\\s|\\\\+[nrt]){0,16}${QUOTE}\\w{0,24}(?:[vV]alue|VALUE|content)${QUOTE}[ \\t]*[:=][ \\t]*`,
);
const ASSIGNED_BELOW = sticky(
  `${QUOTE}?[ \\t]*(?:${NEW_LINE}[ \\t]*)?(?::|:?=)[ \\t]*\\(?[ \\t]*\\\\?${NEW_LINE}[ \\t]*(?=${QUOTE})`,
);
// "db_password": { "value": "…" }
const NESTED = sticky(`${QUOTE}[ \\t]*:[ \\t]*\\{[^{}]{0,120}?${QUOTE}value${QUOTE}[ \\t]*:[ \\t]*(?=${QUOTE})`);
const DEFAULTED = sticky(`:?[-=](?=[^}\\n]{1,256}\\})`); // ${API_KEY:-…}
const VALUE_FIELD = sticky(
  `${QUOTE}?,?(?:\\s|\\\\+[nrt])*${QUOTE}?(?:[vV]alue|defaultValue|default|content)${QUOTE}?[ \\t]*[:=][ \\t]*`,
);
const ELEMENT = sticky(`${QUOTE}?[^<>\\n]{0,80}>\\s*(?:<(?:value|string)>)?(?=[^<\\s])`);
const PLIST = sticky("</key>(?:\\s|\\\\+[nrt]){0,32}<string>");
const BLOCK_DEFAULT = sticky(`${QUOTE}\\s*\\{[^{}]{0,200}?\\bdefault\\s*=\\s*`); // variable "api_key" { default = "…" }
const LISTED = sticky(`${QUOTE}[ \\t]*,\\s*(?=${QUOTE})|${QUOTE}?\\)?[ \\t]*(?:\\|\\|?|[│┃║]|\\?\\?)[ \\t]*`);
const CALLED = sticky(`\\([ \\t]*(?=${QUOTE})`);
const HERE_STRING = sticky("[ \\t]*<<<[ \\t]*");
const SAID = sticky(
  "(?:['’]s(?=[ \\t])|[ \\t]+(?:(?:has been|got) (?:set|changed|reset|updated) to|is|was|are|to|as|equals|becomes|lautet|ist|est|es|è|é)(?=[\\s:])(?:[ \\t]+(?:now|currently|still))?(?:[ \\t]+(?:set|changed|reset|updated)[ \\t]+to)?:?)[ \\t]*",
);
// The password for the database is …, Password for dana: …
const QUALIFIED = sticky(
  "(?:[ \\t]+(?:for|of|on|in|at|to|from|für|von|pour|de|du|para|del)(?:[ \\t]+[\\w@.'/-]{1,32}){1,4}?)(?:[ \\t]*[:=]|[ \\t]+(?:is|was|lautet|ist|est|es|è|é|är|er|jest|je|to|on|este)(?=[ \\t:]):?)[ \\t]*",
);
// token expires tomorrow: …
const ANNOUNCED = sticky(
  "(?:[ \\t]+(?!(?:id|hash|sha|commit|digest|count|name|file|path|url)\\b)[a-z]{2,16}){1,4}:[ \\t]+",
);
const STORED = sticky(`${QUOTE}?[ \\t]+`); // consul kv put app/password …
const DASHED = sticky("[ \\t]*(?:->|→|=>)[ \\t]*|>[ \\t]+|[ \\t]+[-–—][ \\t]+");
const NEAR = sticky(`${QUOTE}?[ \\t]+(?:[057] )?(?:\\\\\\n[ \\t]*)?`);
const NEXT_LINE = sticky(
  `\\*{0,2}:?\\*{0,2}[ \\t]*(?:${NEW_LINE}[ \\t>]{0,16}){1,3}(?:\`{3}\\w*${NEW_LINE}[ \\t]{0,16})?`,
);

type Ties = Omit<Link, "end">;
type ToTies = (text: string, name: AssignedName, end: number) => Ties | undefined;

type Notation = readonly [RegExp, ToTies];

const PATH_NOTATIONS: readonly Notation[] = [
  [PAIR_VALUE, (text, name) => (isNameOfField(text, name) ? { quoted: "quoted", bare: "loose" } : undefined)],
  [
    OPTION_VALUE,
    (text, name) =>
      isBefore(text, name, /(?:--?(?:name|n|key|k)[ =]+|\/v[ ]+)\S{0,64}$/)
        ? { quoted: "quoted", bare: "tight" }
        : undefined,
  ],
  [
    STORED,
    (text, name) =>
      isBefore(text, name, /\b(?:put|set|insert|write|add)[ \t]+\S{0,64}$/)
        ? { quoted: "quoted", bare: "tight" }
        : undefined,
  ],
  [
    ASSIGNED,
    (text, name, end) => {
      const bare = bareTie(text, name, end);
      return { quoted: bare === "line" ? "line" : "quoted", bare };
    },
  ],
];

const NOTATIONS: readonly Notation[] = [
  [VALUE_FIELD, (text, name) => (isNameOfField(text, name) ? { quoted: "quoted", bare: "loose" } : undefined)],
  [PAIR_VALUE, (text, name) => (isNameOfField(text, name) ? { quoted: "quoted", bare: "loose" } : undefined)],
  [DEFAULTED, (text, name) => (isExpansion(text, name) ? { quoted: "quoted", bare: "tight" } : undefined)],
  [ASSIGNED_BELOW, () => QUOTED],
  [WRAPPED, () => ({ quoted: "listed", bare: "near" })],
  [NESTED, () => QUOTED],
  [NEXT_LINE, nextLineTies],
  ...PATH_NOTATIONS,
  [PLIST, (text, name) => (text.charAt(name.start - 1) === ">" ? { quoted: "quoted", bare: "tight" } : undefined)],
  [ELEMENT, (text, name) => (isNameOfElement(text, name) ? { quoted: "quoted", bare: "tight" } : undefined)],
  [
    MARKED_UP,
    (text, name) =>
      isBefore(text, name, />[\w.-]*$|;$/) || text.charAt(name.start - 1) === " "
        ? { quoted: "listed", bare: "listed" }
        : undefined,
  ],
  [INPUT, () => QUOTED],
  [
    FORM_FIELD,
    (text, name) =>
      isBefore(text, name, /name=\\*["'][\w.-]{0,32}$/) ? { quoted: "quoted", bare: "loose" } : undefined,
  ],
  [SERIALIZED, () => QUOTED],
  [
    OPTION_VALUE,
    (text, name) =>
      isBefore(text, name, /(?:--?(?:name|n|key|k)[ =]+|\/v[ ]+)\S{0,64}$/)
        ? { quoted: "quoted", bare: "tight" }
        : undefined,
  ],
  [BLOCK_DEFAULT, (text, name) => (isBefore(text, name, /\bvariable\s+\\*"$/) ? QUOTED : undefined)],
  [LISTED, listedTies],
  [CALLED, (text, name) => (isSetter(text, name) ? { quoted: "listed", bare: "near" } : undefined)],
  [HERE_STRING, () => ({ quoted: "quoted", bare: "tight" })],
  [SAID, () => ({ quoted: "quoted", bare: "said" })],
  [QUALIFIED, () => ({ quoted: "listed", bare: "said" })],
  [DASHED, () => ({ quoted: "listed", bare: "said" })],
  [ANNOUNCED, () => ({ quoted: "near", bare: "near" })],
  [NEAR, nearTies],
];

const QUOTED: Ties = { quoted: "quoted", bare: "near" };

/** Whether a pattern matches the end of what stands before a name. */
function isBefore(text: string, name: AssignedName, pattern: RegExp): boolean {
  return pattern.test(text.slice(Math.max(0, name.start - LOOK_BACK), name.start));
}

const LOOK_BACK = 80;

const isExpansion = (text: string, name: AssignedName) => isBefore(text, name, /\$\{$/);

function bareTie(text: string, name: AssignedName, valueStart: number): Tie {
  if (text.slice(name.end, valueStart) !== "=") return "loose";
  const isCapital = /^[A-Z][A-Z0-9_]*$/.test(name.text);
  const lineStart = text.slice(Math.max(0, name.start - 24), name.start);
  return isCapital && /(?:^|[\n\r"'`]|\\+n|→|\t)[ +-]*(?:export |set |ENV )?$/.test(lineStart) ? "line" : "tight";
}

/** `name: API_KEY`, `key="ApiKey"`: the name is itself the value of a field called name or key. */
export function isNameOfField(text: string, name: AssignedName): boolean {
  return isBefore(text, name, /(?:name|key|variable|label)[\\"']*[ \t]*[:=][ \t]*[\\"']*[\w./:-]{0,64}$/i);
}

/** `<string name="api_key">…`, `<wsse:Password Type="text">…`. */
function isNameOfElement(text: string, name: AssignedName): boolean {
  return isBefore(text, name, /<[\w:.-]{1,32}\s[^<>]{0,48}\b(?:name|key|id)=\\*["'][\w.-]{0,32}$|<[\w.-]{1,16}:$|<$/i);
}

/** `.withApiKey("…")`, `client.setAccessToken("…")`. */
function isSetter(text: string, name: AssignedName): boolean {
  return /^(?:set|with|use|add|put)[A-Z_]/.test(name.text) || isBefore(text, name, /\.(?:set|with|use|add|put)_?$/);
}

function listedTies(text: string, name: AssignedName, end: number): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  const isOneLine = !text.slice(name.end, end).includes("\n");
  return isOneLine ? { quoted: "listed", bare: "listed" } : undefined;
}

function nearTies(text: string, name: AssignedName): Ties | undefined {
  if (name.isFlag) return { quoted: "quoted", bare: "tight" };
  if (/^requirepass$|^masterauth$/.test(name.text)) return { quoted: "quoted", bare: "tight" }; // redis.conf
  if (isBefore(text, name, USER_BEFORE)) return { quoted: "loose", bare: "loose" };
  if (isSetting(text, name)) return { quoted: "loose", bare: "loose" };
  if (/^password$/i.test(name.text)) {
    const isNetrc = isBefore(text, name, /\blogin\s+\S{1,40}\s+$/); // .netrc
    return { quoted: "quoted", bare: isNetrc ? "tight" : "near" }; // PASSWORD 'x' in SQL
  }
  if (isBefore(text, name, SET_BEFORE)) return { quoted: "loose", bare: "loose" };
  const isWord = /^[A-Za-z]?[a-z]+$|^[A-Z]+$| /.test(name.text);
  return isWord ? { quoted: "near", bare: "near" } : { quoted: "listed", bare: "near" }; // (setq api-key "…")
}

// ENV API_KEY x in a Dockerfile, setx API_KEY x, #define API_KEY "x", aws configure set …
const SET_BEFORE =
  /(?:\bENV|\bsetx?|\s-g?x|#[ \t]*define|\bsetenv|\b(?:config|configure|secrets?|env)[ \t]+set)[ \t]+[^\s=]{0,40}$|\badd-$/i;

// user dana, password …; Benutzer dana und Passwort …
const USER_BEFORE =
  /(?:user(?:name)?|login|account|benutzer|nutzer|anmeldung|identifiant|utilisateur|utente|usuario|usuário|gebruikersnaam|användare)["']?[ \t]*[:=]?[ \t]+(?:mit[ \t]+)?["']?[\w.@-]{2,64}["']?(?:,|[ \t]+(?:and|und|et|e|y|with|mit))?[ \t]+$/i;

/** `bindpw …`, `set system password-value "…"`, `storePassword "…"`: words at the start of a line, then one value. */
function isSetting(text: string, name: AssignedName): boolean {
  const before = SETTING_BEFORE.exec(text.slice(Math.max(0, name.start - LOOK_BACK), name.start));
  return before !== null && !PROSE.test(before[0]) && SETTING_AFTER.test(text.slice(name.end, name.end + 160));
}

const SETTING_BEFORE = /(?:^|[\n\r"'{;]|\\n)[ \t+-]*(?:\/\/[ \t]*|#[ \t]*)?(?:[a-zA-Z][\w.-]*[ \t]+){0,5}$/;
const SETTING_AFTER =
  /^\\*["']?[ \t]+\\*["']?[^\s"'\\]{6,128}\\*["']?[ \t]*[;}]?(?:[ \t]*(?:$|[\n\r"'#]|\\n)|[ \t]+(?:address|keyPassword|encrypted|host|timeout|level)\b)/;
const PROSE =
  /\b(?:the|a|an|your|my|our|this|that|is|are|was|has|have|use|for|of|in|with|and|or|to|no|new|when|if|i|we|you)[ \t]/i;

/** `API key:` and the value on the next line, alone or as a block of code. */
function nextLineTies(text: string, name: AssignedName, end: number): Ties | undefined {
  const between = text.slice(name.end, end);
  if (!between.includes("\n") && !between.includes("\\n")) return undefined;
  return text.charAt(end) === "-" ? undefined : { quoted: "near", bare: "near", isLineOnly: true };
}
