import { join } from "node:path";
import { packageFolder } from "./package-folder.js";

/** The demo sessions that come with the package. */
export function demoFolder(): string {
  return join(packageFolder(), "demo");
}
