export type { Generation, Observation, ObservationEvent, Trace } from "./observation.js";
export { jsonRequest, protobufRequest } from "./otlp-request.js";
export { type ContentChoice, type ContentOptions, prepareContent } from "./prepare-content.js";
export { type AttributeChoice, type OtlpSpan, toSpans } from "./to-spans.js";
export {
  type SessionState,
  type TracedTurn,
  type TraceOptions,
  type TurnPosition,
  traceSession,
} from "./trace-session.js";
