import type { Plant } from "./planted-session.js";

/** The plants whose secret, or most of it, can be read in what a surface gave. */
export function leakedIn(output: string, plants: readonly Plant[]): Plant[] {
  const forms = [output, unescaped(output)].map(squeeze);
  return plants.filter(({ secret }) =>
    tellingParts(squeeze(secret)).some((part) => forms.some((form) => form.includes(part))),
  );
}

/** As people and programs undo it: JSON in JSON, HTML, addresses. */
function unescaped(text: string): string {
  const plain = text
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:amp|#38|#x26);/g, "&")
    .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, number) =>
      String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(number)),
    )
    .replace(/&(lt|gt|quot|apos);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain
    .replace(/\\+u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\+([nrt"/\\])/g, (_, sign) => (sign === "n" || sign === "r" || sign === "t" ? " " : sign));
}

const ENTITIES = { lt: "<", gt: ">", quot: '"', apos: "'" };

/** Colours and line breaks of a terminal do not hide anything. */
function squeeze(text: string): string {
  return text.replace(/\u001b\[[0-9;:?]*[A-Za-z]/g, "").replace(/[\s│]+/g, "");
}

/** A cut secret is still one: its first two thirds, or its last half. */
function tellingParts(secret: string): string[] {
  if (secret.length < 24) return [secret];
  return [secret, secret.slice(0, Math.ceil((secret.length * 2) / 3)), secret.slice(-Math.ceil(secret.length / 2))];
}
