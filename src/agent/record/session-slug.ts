import { randomInt } from "node:crypto";

/** A name that people can say: adjective, adjective, surname. */
export function createSlug(): string {
  return [pick(ADJECTIVES), pick(ADJECTIVES), pick(SURNAMES)].join("-");
}

const ADJECTIVES = `amber brisk calm clever crisp eager fair fluffy gentle glad hazy humble keen kind light lively lucid
  merry mild neat nimble patient plain quick quiet robust rustic shiny silent snug soft steady sunny swift tidy vivid warm
  wise witty zesty`.split(/\s+/);

const SURNAMES =
  `abel babbage banach bohr boole cantor cauchy church curie dijkstra emmy erdos euler fermat galois gauss
  germain goedel hamilton hilbert hopper hypatia kepler knuth lamarr lamport liskov lovelace meitner naur neumann noether
  pascal peano ramanujan ritchie shannon thompson turing wiles wirth`.split(/\s+/);

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? "";
}
