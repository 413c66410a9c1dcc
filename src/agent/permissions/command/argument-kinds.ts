import { isPlainFilter } from "./forms/jq-filter.js";

/** What an argument may be, by its position. A `path` is judged by where it leads; the others are never opened as files. */
export type Kind =
  | "path"
  | "text"
  | "pattern"
  | "number"
  | "word"
  | "program"
  | "date"
  | "date format"
  | "printf format"
  | "sed script"
  | "jq filter"
  | "git format"
  | "git setting";

/** Placeholders of `git log` and of `git for-each-ref`. */
const GIT_LETTERS = String.raw`[HhTtPpsfbBNdDSemn]|[ac][nNeElLdDrtiIhs]|g[dDnNeEs]|x[\dA-Fa-f]{2}|C(?:red|green|blue|reset|\([\w ,#]*\))|w\([\d, ]*\)|[<>|]{1,3}\([\w, |]*\)`;
const GIT_FIELDS = String.raw`trailers|decorate|\*?(?:refname|objecttype|objectsize|objectname|upstream|push|HEAD|color|align|if|then|else|end|symref|ahead-behind|tree|parent|numparent|object|type|tag|(?:author|committer|tagger)(?:name|email|date)?|creator(?:date)?|subject|body|contents)`;

/** Null: any text. */
const FORMS: Readonly<Record<Exclude<Kind, "path" | "jq filter" | "sed script">, RegExp | null>> = {
  text: null,
  pattern: null,
  number: /^[+-]?\d+(?:\.\d+)?[A-Za-z]{0,3}$/,
  word: /^[\w.,:=+-]*$/,
  program: /^\w[\w.+-]*$/,
  // Without quotes and slashes: a date may name the file of a time zone.
  date: /^[\w :+,.@-]*$/,
  "date format": /^\+/,
  // `%n` evaluates its argument, `*` takes a width from one.
  "printf format": /^(?!-)(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sdifuxXocbqeEgG])*$/,
  // What a shadow of the repository knows.
  "git setting":
    /^(?:remote\.[\w./@+-]+\.(?:url|fetch)|branch\.[\w./@+-]+\.(?:remote|merge)|core\.(?:autocrlf|eol|filemode|ignorecase))$/i,
  // Only these: signatures are checked by another program, and a description is made by a second git.
  "git format": new RegExp(`^(?:[^%]|%%|%[-+ ]?(?:${GIT_LETTERS}|\\((?:${GIT_FIELDS})(?::[^()]*)?\\)))*$`),
};

const MAX_CHARS = 2_000;

export function isOfKind(value: string, kind: Exclude<Kind, "path">): boolean {
  // A zero stands for a text that is known only when it runs.
  if (kind !== "text" && kind !== "pattern" && (value.length > MAX_CHARS || value.includes("\0"))) return false;
  if (kind === "jq filter") return isPlainFilter(value);
  if (kind === "sed script") return SED_SCRIPT.test(value);
  return FORMS[kind]?.test(value) ?? true;
}

/** GNU and BSD sed read a set without slash and backslash alike, if it does not begin with `]` or `^]`. */
const SED_PATTERN = sedPattern("/");
const SED_ADDRESS = String.raw`(?:\d+|\$|${SED_PATTERN}I?)`;
const SED_REPLACING = ["/", "\\|", "#", ",", "@", ":"].map((sign) => {
  const text = String.raw`(?:\\[^\n]|[^${sign}\\\n])*`;
  return `s${sedPattern(sign)}${text}${sign}`;
});
const SED_ACTION = String.raw`(?:[pdq=]|(?:${SED_REPLACING.join("|")})[gpiI\d]*)`;
const SED_COMMAND = `(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?[ ]*!?)?[ ]*${SED_ACTION}`;
/** `10,20p`, `/begin/,/end/p`, `s/a/b/g`; without the commands and flags that write, read or run. */
const SED_SCRIPT = new RegExp(`^[ ]*${SED_COMMAND}(?:[ ]*;[ ]*${SED_COMMAND})*[ ]*;?[ ]*$`);

/** Between two of a sign. */
function sedPattern(sign: string): string {
  return String.raw`${sign}(?:\\[^\n]|\[\^?[^\]^${sign}\\\n[][^\]${sign}\\\n[]*\]|[^${sign}\\\n[\]])*${sign}`;
}
