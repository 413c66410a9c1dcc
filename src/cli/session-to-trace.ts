import type { TraceOptions } from "../trace/trace-session.js";

/** A session that is to be traced, and how it is read. */
export interface SessionToTrace {
  readonly path: string;
  readonly options: TraceOptions;
}
