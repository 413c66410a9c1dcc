import { join } from "node:path";
import picomatch from "picomatch";
import type { Rule } from "./rule.js";

/** `//x` is absolute, `~/x` at home, `/x` below the folder of the settings, everything else below the working directory. */
export function matchesPath({ spec, base }: Rule, path: string, { cwd, home }: { cwd: string; home: string }): boolean {
  if (spec === undefined) return true;
  const pattern = toAbsolute(spec.replace(/^\.\//, ""), base, cwd, home).replace(/\/+$/, "");
  return picomatch.isMatch(path, [pattern, `${pattern}/**`], { dot: true });
}

function toAbsolute(spec: string, base: string, cwd: string, home: string): string {
  if (spec.startsWith("//")) return spec.slice(1);
  if (spec.startsWith("~/")) return join(home, spec.slice(2));
  if (spec.startsWith("/")) return join(base, spec);
  return spec.includes("/") ? join(cwd, spec) : join(cwd, "**", spec);
}
