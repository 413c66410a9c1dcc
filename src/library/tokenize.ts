import { foldText } from "./fold-text.js";

/** The words of a folded text, exactly as SQLite's `ascii` tokenizer and FTS5 keep them. */
export function tokenize(folded: string): string[] {
  return (folded.match(TOKEN) ?? []).map((token) => limitLength(token.toLowerCase()));
}

export interface PlacedToken {
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

/** The same words from a place on, each with its place in the original text; only as much is read as is asked for. */
export function* tokenizeWithPlaces(text: string, from = 0): Generator<PlacedToken> {
  const token = new RegExp(TOKEN);
  token.lastIndex = from;
  for (const { 0: run, index } of text.matchAll(token)) {
    if (!FOREIGN.test(run)) yield placed(run, index, index + run.length);
    else for (const chunk of run.matchAll(CHUNK)) yield* placeTokens(chunk[0], index + chunk.index);
  }
}

const TOKEN = /[0-9A-Za-z\u0080-\uFFFF]+/g;
const FOREIGN = /[\u0080-\uFFFF]/;
/** Ends where both words and normalisation end, so that a long text without ASCII is not one chunk. */
const CHUNK = /[\s\S]+?(?:(?<=[\p{P}\p{Z}\p{Script=Han}])|$)/gu;

/** FTS5 keeps so much of a word. */
const MAX_TOKEN_BYTES = 32_768;

function limitLength(token: string): string {
  if (token.length * 3 <= MAX_TOKEN_BYTES) return token;
  const bytes = Buffer.from(token);
  return bytes.length <= MAX_TOKEN_BYTES ? token : bytes.subarray(0, MAX_TOKEN_BYTES).toString();
}

function placed(token: string, start: number, end: number): PlacedToken {
  return { token: limitLength(token.toLowerCase()), start, end };
}

function placeTokens(chunk: string, offset: number): PlacedToken[] {
  const tokens = placeByCluster(chunk, offset);
  const expected = tokenize(foldText(chunk));
  const isSame = tokens.length === expected.length && tokens.every(({ token }, at) => token === expected[at]);
  return isSame ? tokens : expected.map((token) => ({ token, start: offset, end: offset + chunk.length }));
}

/** A character and what may be composed with it. */
const CLUSTER = /[\s\S][\p{M}\uFF9E\uFF9F\u1160-\u11FF\uD7B0-\uD7FF]*/gu;
const TOKEN_OR_GAP = /([0-9A-Za-z\u0080-\uFFFF]+)|[\s\S]/g;

function placeByCluster(chunk: string, offset: number): PlacedToken[] {
  const tokens: PlacedToken[] = [];
  let open: PlacedToken | undefined;
  for (const { 0: cluster, index } of chunk.matchAll(CLUSTER)) {
    const end = offset + index + cluster.length;
    for (const [, piece] of foldText(cluster).matchAll(TOKEN_OR_GAP)) {
      if (open && piece === undefined) tokens.push(placed(open.token, open.start, open.end));
      open =
        piece === undefined
          ? undefined
          : { token: (open?.token ?? "") + piece, start: open?.start ?? end - cluster.length, end };
    }
  }
  if (open) tokens.push(placed(open.token, open.start, open.end));
  return tokens;
}
