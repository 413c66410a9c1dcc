export type { Generation, Observation, ObservationEvent, Trace } from "./observe/observation.js";
export {
  type SessionState,
  type TracedTurn,
  type TraceOptions,
  type TurnPosition,
  traceSession,
} from "./observe/trace-session.js";
export { jsonRequest, protobufRequest } from "./spans/otlp-request.js";
export { type ContentChoice, type ContentOptions, prepareContent } from "./spans/prepare-content.js";
export { type AttributeChoice, type OtlpSpan, toSpans } from "./spans/to-spans.js";
