import { join } from "node:path";
import { globMatcher } from "../tools/search/glob-matcher.js";
import { realPath } from "../workspace.js";
import type { Rule } from "./rule.js";

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** `//x` is absolute, `~/x` in the home folder, `/x` in the folder of the settings, anything else in the working directory. */
export function pathMatcher({ spec, base }: Rule, place: Place): (path: string) => boolean {
  if (spec === undefined) return () => true;
  const [folder, pattern] = splitSpec(spec.replace(/^\.\//, "").replace(/\/+$/, ""), base, place);
  const [plain = ""] = /^(?:\/[^/*?[\]{}()!+@\\]+)*(?=\/|$)/.exec(pattern) ?? [];
  const rest = pattern.slice(plain.length);
  // Paths are compared with links resolved, so a rule about a link must match its target too.
  const beginnings = [folder + plain, realPath(folder + plain || "/").replace(/^\/$/, "")].map(escapeGlob);
  return globMatcher([...new Set(beginnings)].flatMap((beginning) => [beginning + rest, `${beginning}${rest}/**`]));
}

/** The literal folder, and the pattern below it. */
function splitSpec(spec: string, base: string, { cwd, home }: Place): readonly [string, string] {
  if (spec.startsWith("//")) return ["", spec.slice(1)];
  if (spec.startsWith("~/")) return [home, spec.slice(1)];
  if (spec.startsWith("/")) return [base, spec];
  return spec.includes("/") ? below(cwd, spec) : [cwd, `/**/${spec}`];
}

/** Moves leading `../` from the pattern to the folder. */
function below(folder: string, spec: string): readonly [string, string] {
  const [up = ""] = /^(?:\.\.\/)*/.exec(spec) ?? [];
  return [join(folder, up).replace(/\/$/, ""), `/${spec.slice(up.length)}`];
}

/** The path itself as a pattern. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|^$"']/g, "\\$&");
}
