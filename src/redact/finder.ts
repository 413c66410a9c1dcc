import type { Finding } from "./finding.js";

/** Looks closely at the places where one of its anchors stands; nowhere else can its secrets be. */
export interface Finder {
  readonly anchors: readonly string[];
  /** The anchors stand for themselves in capitals, too. */
  readonly anyCase?: boolean;
  /** Concludes from the surroundings; of no use inside what is found already. */
  readonly isGuess?: boolean;
  find(text: string, at: number): readonly Finding[];
}
