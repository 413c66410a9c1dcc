export type { ChatMessage, ChatPart, Content } from "./observe/conversation.js";
export type {
  Costs,
  Effects,
  Generation,
  Observation,
  ObservationEvent,
  ObservationKind,
  Trace,
} from "./observe/observation.js";
export { traceIdOf, traceIdOfTurn } from "./observe/span-ids.js";
export {
  type SessionState,
  type TracedTurn,
  type TraceOptions,
  type TurnPosition,
  traceSession,
} from "./observe/trace-session.js";
export { jsonRequest, protobufRequest } from "./spans/otlp-request.js";
export { type ContentChoice, type ContentOptions, type InputChoice, prepareContent } from "./spans/prepare-content.js";
export type { Resource } from "./spans/resource.js";
export { type AttributeChoice, type OtlpSpan, toSpans } from "./spans/to-spans.js";
