/*
 * A small part of the awk language that cannot write, run programs, read other files or see the environment. It is read token by
 * token and printed again from the tokens, so that every awk (mawk, gawk, busybox, that of macOS) sees the same ones: names of
 * variables get a prefix, so that none is a function or a special variable of some awk.
 */

/** The program as it is to run, or undefined: it is not of this part. */
export function readAwkProgram(source: string): string | undefined {
  const tokens = source.length > MAX_CHARS ? undefined : tokenize(source);
  return tokens && isHarmless(tokens) ? print(tokens) : undefined;
}

/** The name that a variable of the program really gets; undefined: it has a meaning that is left out. */
export function awkVariable(name: string): string | undefined {
  if (SPECIAL.has(name)) return name;
  return LEFT_OUT.has(name) || KEYWORDS.has(name) || FUNCTIONS.has(name) ? undefined : `v_${name}`;
}

interface Token {
  readonly kind: "name" | "variable" | "function" | "number" | "text" | "pattern" | "sign";
  readonly text: string;
  /** A closing parenthesis behind the test of `if`, `while` or `for`. */
  readonly endsTest?: boolean;
}

const MAX_CHARS = 2_000;
const KEYWORDS = new Set("BEGIN END if else while for in do next exit print printf break continue delete".split(" "));
const FUNCTIONS = new Set(
  "length substr index toupper tolower split gsub sub gensub match sprintf int sqrt exp log sin cos rand srand strftime systime".split(
    " ",
  ),
);
const SPECIAL = new Set("NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH".split(" "));
/** The environment, the names of files, formats of numbers, and functions that run, write or read. */
const LEFT_OUT = new Set(
  "ENVIRON ARGV ARGC ARGIND PROCINFO SYMTAB FUNCTAB OFMT CONVFMT BINMODE ERRNO FIELDWIDTHS FPAT IGNORECASE LINT RT TEXTDOMAIN BEGINFILE ENDFILE getline function func return nextfile switch case default system close fflush eval include load namespace extension".split(
    " ",
  ),
);

const BLANK = /(?:[ \t]|#[^\n]*)+/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
const NAME = /[A-Za-z_]\w*/y;
/** Escapes of plain signs only. */
const TEXT = /"(?:[^"\\\n]|\\[\w"\\/.*+?^$|()[\]{}&-])*"/y;
/** A set contains no slash and no bracket but those of a class, and does not begin with `^^`: where it ends, awks differ. `[^]` goes on. */
const PATTERN = /\/(?:[^/\\\n[\]]|\\[^\n]|\[\^?(?![\]^])(?:[^\]\\/\n[]|\\[tnrfv\\/.*+?^$|(){}-]|\[:[a-z]+:\])+\])+\//y;
/** Without `|`, `>>`, `@`, backslashes and `**`. */
const SIGN = /&&|\|\||!~|[=!<>+\-*/%^]=|\+\+|--|[-+*%^!<>=?:,;(){}[\]~$\n/]/y;

/** Behind these a slash begins a pattern, behind an operand it divides; elsewhere awks differ. */
const BEFORE_PATTERN = /^(?:[{};\n(,!~]|!~|&&|\|\|)$/;

function tokenize(source: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const parens: boolean[] = [];
  const read = (form: RegExp, at: number) => {
    form.lastIndex = at;
    return form.exec(source)?.[0];
  };
  for (let at = 0; at < source.length; ) {
    const blank = read(BLANK, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const before = tokens.at(-1);
    const isPattern = source[at] === "/" && (!before || (before.kind === "sign" && BEFORE_PATTERN.test(before.text)));
    const token = isPattern ? toToken("pattern", read(PATTERN, at)) : readPlain((form) => read(form, at));
    if (!token || (!isPattern && token.text.startsWith("/") && !isOperandEnd(before))) return undefined;
    if (token.text === "(") parens.push(/^(?:if|while|for)$/.test(before?.text ?? "") && before?.kind === "name");
    tokens.push(token.text === ")" ? { ...token, endsTest: parens.pop() ?? false } : token);
    at += token.text.length;
  }
  return tokens;
}

function readPlain(read: (form: RegExp) => string | undefined): Token | undefined {
  const name = read(NAME);
  if (name !== undefined) {
    const kind = KEYWORDS.has(name) ? "name" : FUNCTIONS.has(name) ? "function" : "variable";
    return kind === "variable" && awkVariable(name) === undefined ? undefined : { kind, text: name };
  }
  return toToken("number", read(NUMBER)) ?? toToken("text", read(TEXT)) ?? toToken("sign", read(SIGN));
}

function toToken(kind: Token["kind"], text: string | undefined): Token | undefined {
  return text === undefined ? undefined : { kind, text };
}

function isOperandEnd(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === "sign") return token.text === "]" || (token.text === ")" && !token.endsTest);
  return token.kind === "variable" || token.kind === "number" || token.kind === "text";
}

/** What is left that could write or run: `>` behind `print`, formats, and calls of unknown functions. */
function isHarmless(tokens: readonly Token[]): boolean {
  let depth = 0;
  let isPrinting = false;
  for (const [at, { kind, text }] of tokens.entries()) {
    const next = tokens[at + 1]?.text;
    if (kind === "sign" && text === "(") depth += 1;
    if (kind === "sign" && text === ")") depth -= 1;
    if (depth < 0) return false;
    if (kind === "sign" && /^[;}]$/.test(text)) isPrinting = false;
    if (kind === "variable" && next === "(") return false;
    if (kind === "function" && next !== "(" && text !== "length") return false;
    if (kind === "name" && /^printf?$/.test(text)) {
      if (depth > 0) return false;
      isPrinting = true;
    }
    // Not even in brackets: mawk counts parentheses only.
    if (kind === "sign" && /^>=?$/.test(text) && isPrinting && depth === 0) return false;
    const isFormatted = (kind === "name" && text === "printf") || (kind === "function" && text === "sprintf");
    if (isFormatted && !hasFormat(tokens.slice(at + 1))) return false;
  }
  return depth === 0;
}

const FORMAT = /^"(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[diouxXeEfgGcs])*"$/;

/** The first argument is one text with plain formats. */
function hasFormat(tokens: readonly Token[]): boolean {
  const [first, second] = tokens[0]?.text === "(" ? tokens.slice(1) : tokens;
  return first?.kind === "text" && FORMAT.test(first.text) && (!second || /^[,;)}\n]$/.test(second.text));
}

function print(tokens: readonly Token[]): string {
  return tokens
    .map(({ kind, text }, at) => {
      if (kind === "variable") return `${awkVariable(text)} `;
      return kind === "function" && tokens[at + 1]?.text === "(" ? text : `${text} `;
    })
    .join("")
    .trim();
}
