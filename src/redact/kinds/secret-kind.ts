/** A kind of secret that its issuer marks by a literal prefix. */
export interface SecretKind {
  /** As in `[REDACTED:kind:1]`. */
  readonly kind: string;
  readonly prefixes: readonly string[];
  /** What follows the prefix. Lengths are a little below the real ones, so that cut-off secrets are found too. */
  readonly body: RegExp;
  /** Matches before the prefix, for secrets with a marker in the middle. */
  readonly head?: RegExp;
  /** What must not stand before the prefix: `pk_` before `live_` is the publishable key of another issuer. */
  readonly notAfter?: RegExp;
}
