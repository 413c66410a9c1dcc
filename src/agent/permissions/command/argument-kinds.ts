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
  | "git format";

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
  // Only these: signatures are checked by another program, and a description is made by a second git.
  "git format": new RegExp(`^(?:[^%]|%%|%[-+ ]?(?:${GIT_LETTERS}|\\((?:${GIT_FIELDS})(?::[^()]*)?\\)))*$`),
};

const MAX_CHARS = 2_000;

export function isOfKind(value: string, kind: Exclude<Kind, "path">): boolean {
  if (kind !== "text" && kind !== "pattern" && value.length > MAX_CHARS) return false;
  if (kind === "jq filter") return isPathFilter(value);
  if (kind === "sed script") return SED_SCRIPT.test(value);
  return FORMS[kind]?.test(value) ?? true;
}

/** GNU and BSD sed read a set without slash and backslash alike. */
const SED_PATTERN = String.raw`/(?:\\[^\n]|\[\^?[^\]/\\\n[]+\]|[^/\\\n[\]])*/`;
const SED_ADDRESS = String.raw`(?:\d+|\$|${SED_PATTERN}I?)`;
const SED_ACTION = String.raw`(?:[pdq=]|s${SED_PATTERN}(?:\\[^\n]|[^/\\\n])*/[gpiI\d]*)`;
const SED_COMMAND = `(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?[ ]*!?)?[ ]*${SED_ACTION}`;
/** `10,20p`, `/begin/,/end/p`, `s/a/b/g`; without the commands and flags that write, read or run. */
const SED_SCRIPT = new RegExp(`^[ ]*${SED_COMMAND}(?:[ ]*;[ ]*${SED_COMMAND})*[ ]*;?[ ]*$`);

const JQ_PARTS = /\.\.|\.?[A-Za-z_]\w*|"[^"\\]*"|\d+|[=!<>]=|[.[\]|,()<>?:\s-]/g;
const JQ_NAMES =
  /^(?:\..*|add|and|contains|endswith|first|has|keys|last|length|map|max|min|not|or|select|sort|sort_by|startswith|to_entries|tonumber|tostring|type|unique|values)$/;

/** Paths and a few functions only: jq can also print environment variables and read modules. */
function isPathFilter(filter: string): boolean {
  if (filter.replace(JQ_PARTS, "") !== "") return false;
  const names = (filter.match(JQ_PARTS) ?? []).filter((part) => /^\.?[A-Za-z_]/.test(part));
  return names.every((name) => JQ_NAMES.test(name));
}
