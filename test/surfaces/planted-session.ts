import { join } from "node:path";
import { temporaryFolder } from "../format/temporary-folder.js";
import { namedSecrets } from "../redact/named-secrets.js";
import { TEXT_PLACES } from "../redact/places.js";
import { issuedSecrets } from "../redact/planted-secrets.js";
import { BASE64, HEX, seededRandom } from "../redact/seeded-random.js";
import { PLACES, type PlaceName, sessionFiles } from "./places-of-session.js";

/** A secret somewhere in a session. */
export interface Plant {
  readonly place: PlaceName;
  readonly secret: string;
  /** What stands there. */
  readonly text: string;
}

export interface PlantedSession {
  readonly root: string; // Claude Code's folder
  readonly path: string;
  readonly id: string;
  readonly plants: readonly Plant[];
}

const ID = "7b1f0c3d-5e2a-4d8b-9c6f-2a1b3c4d5e6f";

/** A session with secrets of every kind, spread by the seed over every place where text can stand. */
export function plantSession(seed: number): PlantedSession {
  const plants = spread(seed);
  const at = (place: PlaceName) => plants.filter((plant) => plant.place === place).map(({ text }) => text);
  const root = temporaryFolder(sessionFiles(ID, at));
  return { root, id: ID, path: join(root, "projects", "-home-dev-shop", `${ID}.jsonl`), plants };
}

/** The same session with one word everywhere. */
export function plantWord(word: string): PlantedSession {
  const root = temporaryFolder(sessionFiles(ID, () => [`key please ${word}`]));
  return { root, id: ID, path: join(root, "projects", "-home-dev-shop", `${ID}.jsonl`), plants: [] };
}

function spread(seed: number): Plant[] {
  const random = seededRandom(seed * 1000);
  const places = Object.entries(PLACES) as [PlaceName, (typeof PLACES)[PlaceName]][];
  const textPlaces = places.filter(([, { takes }]) => takes === "text").map(([name]) => name);
  const wordPlaces = places.filter(([, { takes }]) => takes === "word").map(([name]) => name);
  const forms = Object.values(TEXT_PLACES);
  const first = Number(random.digits(3));
  const issued = issuedSecrets(seed * 1000 + 3).filter(({ secret }) => /^[\w.-]+$/.test(secret)); // fits into a name
  const texts = [
    ...issuedSecrets(seed * 1000 + 1).map(({ secret }, at) => ({
      secret,
      text: forms[(at + first) % forms.length]?.(secret) ?? "",
    })),
    ...onceEach(namedSecrets(seed * 1000 + 2)),
    ...textPlaces.map(() => privateKey(random)),
    ...textPlaces.map(() => encryptedKey(random)),
  ];
  return [
    ...texts.map((plant, at) => ({ ...plant, place: textPlaces[(at + first) % textPlaces.length] as PlaceName })),
    ...wordPlaces.map((place, at) => {
      const fitting = place === "MCP server" ? issued.filter(({ secret }) => secret.length <= LONGEST_NAME) : issued;
      const { secret } = fitting[(at * 7 + first) % fitting.length] ?? { secret: "" };
      return { place, secret, text: secret };
    }),
  ];
}

/** Of a tool, with what stands around it: the API takes no more than 64 characters. */
const LONGEST_NAME = 50;

/** Passwords that people choose stand in many notations; one that stands twice could not be told apart. */
function onceEach(named: readonly { readonly text: string; readonly secret: string }[]) {
  const counts = new Map<string, number>();
  for (const { secret } of named) counts.set(secret, (counts.get(secret) ?? 0) + 1);
  return named.filter(({ secret }) => counts.get(secret) === 1 && secret.length >= 16);
}

type Random = ReturnType<typeof seededRandom>;

/** Indented, as in YAML or in a listing. A line of its middle stands for it. */
function privateKey(random: Random) {
  const lines = Array.from({ length: 12 }, () => random.text(BASE64, 64));
  const pem = ["-----BEGIN RSA PRIVATE KEY-----", ...lines, "-----END RSA PRIVATE KEY-----"];
  return {
    secret: lines[6] ?? "",
    text: `tls:\n  key: |\n${pem.map((line) => `    ${line}\n`).join("")}  port: 443\n`,
  };
}

function encryptedKey(random: Random) {
  const lines = Array.from({ length: 8 }, () => random.text(BASE64, 64));
  const head = ["Proc-Type: 4,ENCRYPTED", `DEK-Info: AES-256-CBC,${random.text(HEX, 32).toUpperCase()}`, ""];
  const pem = ["-----BEGIN EC PRIVATE KEY-----", ...head, ...lines, "-----END EC PRIVATE KEY-----"];
  return { secret: lines[4] ?? "", text: `$ cat key.pem\n${pem.join("\n")}\n` };
}
