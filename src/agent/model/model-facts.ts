/** Limits of a model, needed before a request. */
export interface ModelFacts {
  readonly contextWindow: number; // tokens
  readonly maxOutput: number; // tokens
  readonly isAdaptive: boolean; // adaptive thinking
}

export const DEFAULT_MODEL = "claude-opus-5-5";

/** Aliases for `--model`. */
const ALIASES: Readonly<Record<string, string>> = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5",
  haiku: "claude-haiku-4-5",
};

export function resolveModel(name: string): string {
  return ALIASES[name.toLowerCase()] ?? name;
}

const LARGE_WINDOW = 1_000_000;
const USUAL_WINDOW = 200_000;

/** Derived from the name; unknown models get conservative values. */
export function modelFacts(model: string): ModelFacts {
  const version = /(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model.replace(/-?20\d{6}/, ""));
  const major = Number(version?.[1] ?? 0);
  const minor = Number(version?.[2] ?? 0);
  const isRecent = model.includes("claude") && (major >= 5 || (major === 4 && minor >= 6));
  const isOld = model.includes("claude-3");
  return {
    contextWindow: model.endsWith("[1m]") ? LARGE_WINDOW : USUAL_WINDOW,
    maxOutput: isOld ? 8_192 : 32_000,
    isAdaptive: isRecent,
  };
}
