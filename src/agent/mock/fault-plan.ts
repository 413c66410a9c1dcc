import { UserError } from "../../errors.js";

export type Fault =
  | { readonly kind: "status"; readonly status: number }
  /** The connection drops in the middle of the stream. */
  | { readonly kind: "cut" }
  /** The API reports an error in the middle of the stream. */
  | { readonly kind: "error" }
  /** The stream falls silent in its middle, and stays open. */
  | { readonly kind: "stall" };

const BROKEN_STREAMS = ["cut", "error", "stall"] as const;
const STATUSES = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529];

/** `429@2`: the second request; `529@3-5`: the third to the fifth; `cut@1`: its stream breaks. */
export class FaultPlan {
  readonly #rules: readonly { readonly fault: Fault; readonly from: number; readonly to: number }[];

  constructor(wishes: readonly string[]) {
    this.#rules = wishes.map(parseWish);
  }

  /** `request` counts from 1. */
  at(request: number): Fault | undefined {
    return this.#rules.find(({ from, to }) => request >= from && request <= to)?.fault;
  }
}

function parseWish(wish: string) {
  const [, what = "", from = "", to = from] = /^(\w+)@(\d{1,6})(?:-(\d{1,6}))?$/.exec(wish) ?? [];
  const fault = toFault(what);
  if (fault && Number(from) > 0 && Number(to) >= Number(from)) return { fault, from: Number(from), to: Number(to) };
  const hint = `for example 429@2, 529@3-5 or cut@1; kinds: ${[...STATUSES, ...BROKEN_STREAMS].join(", ")}`;
  throw new UserError("usage", `not a fault: ${wish}`, hint);
}

function toFault(what: string): Fault | undefined {
  const stream = BROKEN_STREAMS.find((kind) => kind === what);
  if (stream) return { kind: stream };
  return STATUSES.includes(Number(what)) ? { kind: "status", status: Number(what) } : undefined;
}
