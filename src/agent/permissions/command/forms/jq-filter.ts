const FUNCTIONS = new Set(
  "add all and any ascii_downcase ascii_upcase contains del empty endswith first flatten floor from_entries fromjson group_by has in index inside join keys keys_unsorted last length limit ltrimstr map map_values max max_by min min_by not nth or paths range recurse reverse rtrimstr select sort sort_by split startswith sub gsub test to_entries tojson tonumber tostring type unique unique_by values with_entries null true false then elif else".split(
    " ",
  ),
);
const FIELD = /\.\.|\.[A-Za-z_]\w*/y;
const NAME = /[A-Za-z_]\w*/y;
const FORMAT = /@(?:csv|tsv|json|text|base64|base64d|sh|uri|html)\b/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const SIGN = /[=!<>]=|\/\/|[.|,()[\]{}<>?:;+*%\s-]/y;
/** Text in a string, up to its end or an inserted filter. */
const STRING_PART = /(?:[^"\\]|\\["\\/bfnrt])*(?:"|\\\()/y;
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * Whether a filter of jq consists of paths, objects and a few functions only: jq can also print environment variables and read
 * modules.
 */
export function isPlainFilter(source: string): boolean {
  /** What is open: a bracket, `if`, or `"` for a filter that is inserted in a string. */
  const open: string[] = [];
  let before = "";
  for (let at = 0; at < source.length; ) {
    const read = (form: RegExp) => {
      form.lastIndex = at;
      return form.exec(source)?.[0];
    };
    const isString = source[at] === '"';
    if (isString) at += 1;
    const text = isString
      ? read(STRING_PART)
      : (read(FIELD) ?? read(NAME) ?? read(FORMAT) ?? read(NUMBER) ?? read(SIGN));
    if (text === undefined) return false;
    at += text.length;
    if (isString) {
      if (text.endsWith("\\(")) open.push('"');
    } else if (text === ")" && open.at(-1) === '"') {
      // Behind an inserted filter the string goes on.
      const rest = read(STRING_PART);
      if (rest === undefined) return false;
      at += rest.length;
      if (!rest.endsWith("\\(")) open.pop();
    } else if (!takeToken(text, open, before)) return false;
    if (!/^\s$/.test(text) || isString) before = isString ? '"' : text;
  }
  return open.length === 0;
}

/** Names are functions, but in an object also keys. */
function takeToken(text: string, open: string[], before: string): boolean {
  if (/^[([{]$/.test(text)) open.push(text);
  if (text in CLOSING) return open.pop() === CLOSING[text];
  if (!/^[A-Za-z_]/.test(text)) return true;
  if (open.at(-1) === "{" && /^[{,]$/.test(before)) return true;
  if (text === "if") open.push("if");
  else if (text === "end") return open.pop() === "if";
  else return FUNCTIONS.has(text);
  return true;
}
