import type { Kind } from "./argument-kinds.js";

/**
 * How a program is called when it only reads. Whatever is not named here needs approval: other options, abbreviations (GNU programs
 * accept every unambiguous beginning of a long option), other numbers of arguments.
 */
export interface Reader {
  /** Options of one letter without a value; they may be combined, as in `-la`. */
  readonly flags?: string;
  /** Long options without a value. */
  readonly long?: string;
  /** Options with a value, glued or apart, by the kind of the value: letters and long names. */
  readonly values?: Options;
  /** Options whose value can only be glued: `--color=auto`, `-Iseconds`. A long one that may stand without it is in `long`, too. */
  readonly glued?: Options;
  /** Letters whose value is always the next word; whatever is glued to them would be more letters. */
  readonly apart?: Options;
  /** `-20` is a number of lines. */
  readonly takesDigits?: boolean;
  /** The kind of the first operand, where it is another than that of the rest. */
  readonly first?: Kind;
  /** With one of these options there is no such first operand. */
  readonly noFirst?: string;
  /** The kind of the operands; without it there may be none. */
  readonly operands?: Kind;
  readonly maxOperands?: number;
  /** Operands are harmless only with one of these options. */
  readonly operandsNeed?: string;
  /** Words that look like options are operands, too. */
  readonly hasNoOptions?: boolean;
  /** It copies its standard input to a temporary file, so it needs operands. */
  readonly needsFiles?: boolean;
  /** Behind an operand nothing is an option: it would be the file that is written. */
  readonly hasOptionsFirst?: boolean;
  /** It reads its options in a way of its own: each is a word by itself, its value the next one, all in front of the operands. */
  readonly hasSingleOptions?: boolean;
  /** It must be the first argument: `command -v`. */
  readonly mustStart?: string;
  /** It follows links in folders, so its operands must be no folders, or it gets the option `keepsLinks`. */
  readonly takesNoFolders?: boolean;
  readonly keepsLinks?: string;
  /** Options that follow links, and those that run in their place where there are no links. */
  readonly linkless?: Readonly<Record<string, string>>;
  /** It takes an argument `@file` for a file with arguments. */
  readonly readsAtFiles?: boolean;
  /** With one of these options (`always`: with any) it shows the contents of all files below a folder. */
  readonly searchesFolders?: string;
  /** Part of bash: not looked up on the PATH. */
  readonly isBuiltin?: boolean;
}

export type Options = Partial<Record<Kind, string>>;

const CHECKSUM: Reader = { flags: "bt", long: "tag", operands: "path" };
const MATCHING =
  "count files-with-matches files-without-match fixed-strings ignore-case invert-match line-number line-regexp no-filename no-messages null only-matching quiet text with-filename word-regexp";

/** Left out on purpose: options that write, run a program, follow links, or read names or patterns from a file. */
const TABLE: Readonly<Record<string, Reader>> = {
  ":": { operands: "text", hasNoOptions: true, isBuiltin: true },
  base64: { flags: "d", long: "decode", values: { number: "w wrap" }, operands: "path", maxOperands: 1 },
  arch: {},
  basename: { flags: "az", values: { text: "s" }, operands: "text" },
  cat: {
    flags: "AbeEnstTuv",
    long: "number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank",
    operands: "path",
  },
  cksum: { operands: "path" },
  cmp: { flags: "bls", values: { number: "i n" }, long: "silent quiet verbose", operands: "path", maxOperands: 2 },
  column: { flags: "tx", values: { number: "c", text: "s" }, operands: "path" },
  comm: { flags: "123", operands: "path", maxOperands: 2 },
  command: { mustStart: "-v", operands: "program", hasNoOptions: true, isBuiltin: true },
  cut: {
    flags: "ns",
    long: "complement only-delimited",
    values: { word: "b c f bytes characters fields", text: "d delimiter output-delimiter" },
    operands: "path",
  },
  date: {
    flags: "uR",
    long: "iso-8601 utc universal rfc-email",
    values: { date: "d date" },
    glued: { word: "I iso-8601 rfc-3339" },
    operands: "date format",
    maxOperands: 1,
  },
  df: { flags: "ahHiklmPT", long: "human-readable", operands: "path" },
  diff: {
    flags: "abBcdeEiNpqrstTuwyZ",
    long: "brief color context ignore-all-space ignore-blank-lines ignore-case ignore-space-change new-file recursive side-by-side strip-trailing-cr text unified",
    values: { number: "C U W width" },
    glued: { word: "color", number: "unified context" },
    operands: "path",
    maxOperands: 2,
    takesNoFolders: true,
    keepsLinks: "--no-dereference",
  },
  dirname: { flags: "z", operands: "text" },
  du: {
    flags: "abchkmsSx",
    long: "all apparent-size bytes human-readable one-file-system summarize total",
    values: { number: "B d max-depth", pattern: "exclude" },
    operands: "path",
  },
  echo: { operands: "text", hasNoOptions: true, isBuiltin: true },
  exit: { operands: "number", maxOperands: 1, isBuiltin: true },
  expand: { flags: "i", values: { word: "t" }, operands: "path" },
  false: { isBuiltin: true },
  file: { flags: "bi", long: "brief mime mime-encoding mime-type", operands: "path", needsFiles: true },
  fold: { flags: "bs", values: { number: "w" }, operands: "path" },
  free: { flags: "bghkmt", long: "human" },
  grep: {
    flags: "abcEFGhHiIlLnoPqrRsvwxyzZ",
    long: `${MATCHING} basic-regexp byte-offset color colour dereference-recursive extended-regexp perl-regexp recursive silent`,
    values: {
      number: "A B C m after-context before-context context max-count",
      pattern: "e regexp include exclude exclude-dir",
    },
    glued: { word: "color colour" },
    takesDigits: true,
    first: "pattern",
    noFirst: "e regexp",
    operands: "path",
    searchesFolders: "r R recursive dereference-recursive",
    linkless: { R: "r", "dereference-recursive": "recursive" },
  },
  head: {
    flags: "qvz",
    long: "quiet silent verbose",
    values: { number: "c n bytes lines" },
    takesDigits: true,
    operands: "path",
  },
  hexdump: { flags: "bcCdovx", values: { number: "n s" }, operands: "path" },
  hostname: {},
  id: { flags: "gGnru" },
  join: { flags: "i", values: { word: "1 2 a e j o v", text: "t" }, operands: "path", maxOperands: 2 },
  jq: {
    flags: "acCejMnrRsS",
    long: "ascii-output color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output slurp sort-keys tab",
    values: { number: "indent" },
    first: "jq filter",
    operands: "path",
  },
  ls: {
    flags: "1aAbBcCdFgGhiklmnNopqQrRsStuUvxX",
    long: "all almost-all classify color directory full-time group-directories-first human-readable inode no-group numeric-uid-gid recursive reverse size",
    values: { pattern: "I ignore hide", number: "w width" },
    glued: { word: "color sort time time-style indicator-style" },
    operands: "path",
  },
  md5sum: CHECKSUM,
  nl: { flags: "p", values: { word: "b i l n v w", text: "s" }, operands: "path" },
  nproc: { long: "all" },
  od: { flags: "abcdfhilosvx", values: { word: "A j N t" }, operands: "path" },
  paste: { flags: "sz", values: { text: "d" }, operands: "path" },
  printf: { first: "printf format", operands: "text", hasNoOptions: true, isBuiltin: true },
  pwd: { flags: "LP", isBuiltin: true },
  readlink: { flags: "efmnqsvz", operands: "path" },
  realpath: { flags: "eLmPqsz", values: { path: "relative-to relative-base" }, operands: "path" },
  rev: { operands: "path" },
  rg: {
    flags: "acFHhiIlnNopPqsSuUvwx0",
    long: `${MATCHING} case-sensitive count-matches crlf files heading hidden json multiline multiline-dotall no-config no-heading no-ignore no-ignore-vcs no-line-number passthru pcre2 smart-case stats trim type-list vimgrep`,
    values: {
      number: "A B C m M j after-context before-context context max-columns max-count max-depth threads",
      pattern: "e g regexp glob iglob",
      word: "t T E type type-not encoding sort sortr color colors max-filesize",
      text: "r replace",
    },
    first: "pattern",
    noFirst: "e regexp files type-list",
    operands: "path",
    searchesFolders: "always",
  },
  sed: {
    flags: "nErsuz",
    long: "quiet silent regexp-extended separate null-data unbuffered",
    values: { "sed script": "e expression" },
    first: "sed script",
    noFirst: "e expression",
    operands: "path",
  },
  seq: { flags: "w", values: { text: "s separator" }, operands: "number", maxOperands: 3 },
  sha1sum: CHECKSUM,
  sha224sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha384sum: CHECKSUM,
  sha512sum: CHECKSUM,
  sleep: { operands: "number" },
  // It writes temporary files of its own where the input is larger than an eighth of the memory.
  sort: {
    flags: "bcCdfghiMnRrsuVz",
    long: "check dictionary-order general-numeric-sort human-numeric-sort ignore-case ignore-leading-blanks month-sort numeric-sort reverse stable unique version-sort zero-terminated",
    values: { word: "k key", text: "t field-separator" },
    operands: "path",
  },
  stat: { flags: "Lt", long: "dereference terse", values: { text: "c format printf" }, operands: "path" },
  strings: { flags: "a", long: "all", values: { number: "n bytes", word: "t" }, operands: "path", readsAtFiles: true },
  tac: { flags: "br", values: { text: "s" }, operands: "path", needsFiles: true },
  tail: {
    flags: "fFqvz",
    long: "follow quiet silent verbose",
    values: { number: "c n s bytes lines" },
    glued: { word: "follow" },
    takesDigits: true,
    operands: "path",
  },
  tr: { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text", maxOperands: 2 },
  tree: {
    flags: "aCdDfFghiNpqrstuU",
    long: "dirsfirst du noreport prune",
    apart: { number: "L", pattern: "I P" },
    operands: "path",
    hasSingleOptions: true,
  },
  true: { isBuiltin: true },
  type: { flags: "aftpP", operands: "program", isBuiltin: true },
  uname: { flags: "aimnoprsv" },
  // A second operand would be the file that it writes.
  uniq: {
    flags: "cdDiuz",
    long: "count ignore-case repeated unique zero-terminated",
    values: { number: "f s w skip-fields skip-chars check-chars" },
    operands: "path",
    maxOperands: 1,
    hasOptionsFirst: true,
  },
  uptime: { flags: "ps" },
  wc: { flags: "clLmw", long: "bytes chars lines max-line-length words", operands: "path" },
  which: { flags: "a", operands: "program" },
  whoami: {},
  // A second operand would be the file that it writes.
  xxd: {
    flags: "bEipu",
    apart: { number: "c g l s" },
    operands: "path",
    maxOperands: 1,
    hasSingleOptions: true,
  },
};

export const READERS: ReadonlyMap<string, Reader> = new Map(Object.entries(TABLE));
