/*
 * Long texts made short: both ends of a text stay, because conclusions stand at the end, and of an answer the sentences that tell
 * a result.
 */

const GAP = " […] ";

/** Somewhat more of the beginning than of the end; words stay whole. */
export function cutMiddle(text: string, longest: number): string {
  const whole = text.trim();
  if (whole.length <= longest) return whole;
  const room = Math.max(2, longest - GAP.length);
  const head = whole.slice(0, Math.round(room * 0.55)).toWellFormed();
  const tail = whole.slice(Math.round(room * 0.55) - room).toWellFormed();
  return `${atWordEnd(head)}${GAP}${atWordStart(tail)}`;
}

function atWordEnd(text: string): string {
  const space = text.lastIndexOf(" ");
  return (space > text.length * 0.7 ? text.slice(0, space) : text).trimEnd();
}

function atWordStart(text: string): string {
  const space = text.indexOf(" ");
  return (space !== -1 && space < text.length * 0.3 ? text.slice(space) : text).trimStart();
}

const FENCE = /^[ \t]*```[^\n]*\n[\s\S]*?(?:^[ \t]*```[ \t]*$|$(?![\s\S]))/gm;
/** With the label or heading that announces it. */
const LABELLED_FENCE = new RegExp(`(?:^(?:#+ [^\\n]*|[^\\n]*:\\**[ \\t]*)\\n\\s*)?${FENCE.source}`, "gm");
const TREE = /[├└│┌┐╭╰]/;
const RULE = /^[\s═─━=_-]{3,}$/;

/** Without code, file trees and rules, which say little of what was reached. */
function proseOf(text: string): string {
  return withoutTrees(text.replace(LABELLED_FENCE, ""));
}

function withoutTrees(text: string): string {
  return text
    .replace(LABELLED_FENCE, (fence) => (TREE.test(fence) ? "" : fence))
    .split("\n")
    .filter((line) => !TREE.test(line) && !RULE.test(line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** An answer that is too long loses its file trees first, then its code, then its middle. */
export function shortenAnswer(text: string, longest: number): string {
  const whole = text.trim();
  if (whole.length <= longest) return whole;
  const treeless = withoutTrees(whole);
  if (treeless !== "" && treeless.length <= longest) return treeless;
  const prose = proseOf(whole);
  return cutMiddle(prose === "" ? whole : prose, longest);
}

const RESULT =
  /\b(?:root cause|cause[ds]?|because|found|fix(?:ed|es)?|remov\w+|delet\w+|add(?:ed|s)?|chang\w+|creat\w+|updat\w+|enabl\w+|disabl\w+|stopp\w+|increas\w+|install\w+|pass(?:ed|es)?|fail\w*|works?|working|confirmed|verified|merged|pushed|rebased|committed|replied|decided|chose|must|needs?|require[ds]?|not|never|missing|instead|approve\w*|ready|error\w*|preserved|kept|result|now)\b|→|->|✅|✓|✔|❌|⚠/i;
const TALK =
  /^(?:let me|now (?:let me|i)|i['’]ll|would you like|want me|shall i|great|good|perfect|excellent|here['’]s|here is|sure|understood|please)\b|\?$|:$/i;

interface Piece {
  readonly text: string;
  readonly at: number;
  readonly worth: number;
}

/** The sentences and lines of an answer that tell what came out, in their order, as one line. Of equal ones the later count more. */
export function outcomeOf(answer: string, longest: number): string {
  const prose = proseOf(answer);
  const whole = prose.replace(/\s+/g, " ").trim();
  if (whole.length <= longest) return whole;
  const pieces = piecesOf(prose);
  const chosen: Piece[] = [];
  let left = longest;
  for (const piece of pieces.toSorted((a, b) => b.worth - a.worth || b.at - a.at)) {
    if (piece.text.length + GAP.length > left) continue;
    chosen.push(piece);
    left -= piece.text.length + 2;
    if (left < SHORTEST) break;
  }
  const [first = "", ...others] = chosen.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
  const told = others.reduce((line, text) => `${line}${/[.!?;:]$/.test(line) ? " " : "; "}${text}`, first);
  return told.length >= longest / 3 && told.length <= longest ? told : cutMiddle(whole, longest);
}

const SHORTEST = 12; // characters
const MOST_PIECES = 400;

function piecesOf(prose: string): Piece[] {
  const texts = prose
    .split(/\n+|(?<=[.!?])\s+(?=["'(`*]?\p{Lu})/u)
    .map((text) => plainLine(text))
    .filter((text) => text.length >= SHORTEST);
  const last = texts.slice(-MOST_PIECES);
  return last.map((text, at) => ({ text, at, worth: worthOf(text, at / last.length) }));
}

function worthOf(text: string, place: number): number {
  return (RESULT.test(text) ? 2 : 0) - (TALK.test(text) ? 2 : 0) + (place >= 0.5 ? 1 : 0);
}

/** Without the marks of headings, lists, tables and bold text. */
function plainLine(text: string): string {
  return text
    .replaceAll("**", "")
    .replace(/^[\s>#*|-]+|^\d+[.)]\s+|[\s|]+$/g, "")
    .replace(/\s*\|\s*/g, ": ")
    .replace(/\s+/g, " ")
    .trim();
}
