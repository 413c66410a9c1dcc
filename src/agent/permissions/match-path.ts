import { join } from "node:path";
import { globMatcher } from "../tools/glob-matcher.js";
import { realPath } from "../tools/workspace.js";
import type { Rule } from "./rule.js";

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** `//x` is absolute, `~/x` at home, `/x` below the folder of the settings, everything else below the working directory. */
export function pathMatcher({ spec, base }: Rule, place: Place): (path: string) => boolean {
  if (spec === undefined) return () => true;
  const [folder, pattern] = splitSpec(spec.replace(/^\.\//, "").replace(/\/+$/, ""), base, place);
  const [plain = ""] = /^(?:\/[^/*?[\]{}()!+@\\]+)*(?=\/|$)/.exec(pattern) ?? [];
  const rest = pattern.slice(plain.length);
  // Paths are judged by where links lead, so that a rule about a link means that place, too.
  const beginnings = [folder + plain, realPath(folder + plain || "/").replace(/^\/$/, "")].map(escapePattern);
  return globMatcher([...new Set(beginnings)].flatMap((beginning) => [beginning + rest, `${beginning}${rest}/**`]));
}

/** The folder that is meant literally, and the pattern below it. */
function splitSpec(spec: string, base: string, { cwd, home }: Place): readonly [string, string] {
  if (spec.startsWith("//")) return ["", spec.slice(1)];
  if (spec.startsWith("~/")) return [home, spec.slice(1)];
  if (spec.startsWith("/")) return [base, spec];
  return spec.includes("/") ? below(cwd, spec) : [cwd, `/**/${spec}`];
}

/** `../x` is below the parent. */
function below(folder: string, spec: string): readonly [string, string] {
  const [up = ""] = /^(?:\.\.\/)*/.exec(spec) ?? [];
  return [join(folder, up).replace(/\/$/, ""), `/${spec.slice(up.length)}`];
}

function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|^$"']/g, "\\$&");
}
