// Writes a planned session with its side files: as a whole, or not at all.
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planClone, readEditSource, writeEdit } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const id = "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f";
const folder = mkdtempSync(join(tmpdir(), "example-"));
await writeEdit(planClone(source, { id }), { path: join(folder, `${id}.jsonl`), configRoot: null });
console.log(readdirSync(folder).join("\n"));
