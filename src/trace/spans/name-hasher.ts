import { createHmac } from "node:crypto";
import type { HashName } from "./hide-names.js";

/**
 * Stands for names where no content is sent: the same name is the same hash with one key, and nobody can try names out
 * without it.
 */
export function createNameHasher(key: string): HashName {
  const known = new Map<string, string>();
  return (kind, name) => {
    const id = `${kind} ${name}`;
    const hash = known.get(id) ?? createHmac("sha256", key).update(id).digest("hex").slice(0, 12);
    known.set(id, hash);
    return hash;
  };
}
