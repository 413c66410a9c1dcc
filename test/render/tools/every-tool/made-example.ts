import type { CameBack } from "../made-call.js";

/** One call as a client would have recorded it. */
export interface MadeExample extends CameBack {
  readonly name: string;
  readonly input: unknown;
}
