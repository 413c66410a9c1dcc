// The folder below `projects/` in which a client keeps the sessions of a working directory.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectSlug } from "turnlog";

for (const cwd of ["/home/dev/src/pebble.rs", "/home/dev/data/tide_pipeline", "/home/dev/elsewhere"]) {
  const folder = join(import.meta.dirname, "../demo/projects", projectSlug(cwd));
  console.log(projectSlug(cwd), existsSync(folder) ? "has sessions" : "has none");
}
