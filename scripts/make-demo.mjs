import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordSession } from "./demo/session.mjs";
import { addressForm } from "./demo/stories/address-form.mjs";
import { centInTheCart } from "./demo/stories/cent-in-the-cart.mjs";
import { doubledTides } from "./demo/stories/doubled-tides.mjs";
import { explainHashing } from "./demo/stories/explain-hashing.mjs";
import { jsonOutput } from "./demo/stories/json-output.mjs";
import { oneQuery } from "./demo/stories/one-query.mjs";
import { wishlist } from "./demo/stories/wishlist.mjs";

/** Writes the demo library, a configuration folder of invented sessions; the same bytes on every run. */
const STORIES = [explainHashing, centInTheCart, wishlist, addressForm, doubledTides, oneQuery, jsonOutput];
const target = process.argv[2] ?? join(import.meta.dirname, "..", "demo");

rmSync(target, { recursive: true, force: true });
for (const [path, text] of STORIES.flatMap(recordSession)) {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
