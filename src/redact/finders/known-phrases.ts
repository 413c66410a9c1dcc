import { isStandIn } from "../judge/is-stand-in.js";
import { captureAt, type Finder, type Finding } from "./finding.js";

/** Seed phrases of wallets and recovery codes of accounts, after the words that announce them. */
export const phraseFinders: readonly Finder[] = [
  {
    anchors: ["mnemonic", "seed phrase", "seed_phrase", "seedphrase", "seed words", "recovery phrase", "backup phrase"],
    isGuess: true,
    anyCase: true,
    find(text, at) {
      const phrase = captureAt(PHRASE, text, at);
      const words = phrase?.text.match(/[a-z]+/g) ?? [];
      const isPhrase = phrase && words.length % 3 === 0 && words.every((word) => !SENTENCE_WORDS.has(word));
      return isPhrase ? [{ kind: "seed-phrase", start: phrase.start, end: phrase.end, certain: false }] : [];
    },
  },
  {
    anchors: [
      "recovery code",
      "recovery_code",
      "recoverycode",
      "backup code",
      "backup_code",
      "backupcode",
      "scratch code",
    ],
    isGuess: true,
    anyCase: true,
    find: findCodes,
  },
];

const NUMBER = "(?:\\d{1,2}[.):]?[ \\t]*)?";
const BETWEEN = "(?:[ \\t,]|\\r?\\n|\\\\+n)+";
// Twelve to twenty-four words, with or without numbers
const PHRASE = new RegExp(
  `[A-Za-z_ ]{8,16}[^\\n:=]{0,24}?(?:[:=]|\\bis\\b|\\n|\\\\+n)[\\s"'\`\\\\]{0,8}(${NUMBER}[a-z]{3,8}(?:${BETWEEN}${NUMBER}[a-z]{3,8}){11,23})(?![a-z])`,
  "diy",
);
// Not on the list that such phrases are made of, but in almost every sentence
const SENTENCE_WORDS = new Set("the and for are was not but with from have has will your its our".split(" "));

const HEAD = /[a-z]{6,8}[ _]?codes?(?:\\*["'])?[^\n:=[(\\]{0,32}(?:[:=]|\\+n|\n|[[(])/iy;
const SEPARATOR = /(?:[\s,;"'[\]•*`|(-]|\\+[nrt"'])*(?:\d{1,2}[.)][ \t]+)?/y;
const CODE = /(?:[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,4}|\d{4} \d{4}|[A-Za-z0-9]{8,16})(?![\w-])/y;
const MAX_CODES = 32;

function findCodes(text: string, at: number): Finding[] {
  const found: Finding[] = [];
  let from = endOf(HEAD, text, at);
  while (from !== undefined && found.length < MAX_CODES) {
    const start: number = endOf(SEPARATOR, text, from) ?? from;
    const end = endOf(CODE, text, start);
    const code = text.slice(start, end ?? start);
    const isLike =
      found.length > 0 && code.length === (found[0]?.end ?? 0) - (found[0]?.start ?? 0) && code.includes("-");
    if (end === undefined || (!/\d/.test(code) && !isLike) || isStandIn(code)) break;
    found.push({ kind: "recovery-code", start, end, certain: false });
    from = end;
  }
  return found;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
