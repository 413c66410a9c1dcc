import type { ContentChoice, InputChoice } from "./prepare-content.js";
import type { AttributeChoice } from "./to-spans.js";

/** What the spans of one target are like. Plain data: it is stored with the target, as it was when the target was installed. */
export interface TargetSettings {
  /** The vocabulary of span attributes. */
  readonly attributes: AttributeChoice;
  readonly content: ContentChoice;
  /** What generations have as input: what is `new` to the model, such as the results of its calls, or the `full` conversation. */
  readonly input: InputChoice;
  /** From the ids in the records, or computed from session and turn. */
  readonly traceIds: TraceIdRule;
  readonly environment: string | null; // such as "production" or "ci"
  readonly release: string | null;
  /** Null: that of config.json, if any. */
  readonly userId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** More attributes of the resource. */
  readonly resource: Readonly<Record<string, string>>;
  /** Turns become children of the span that TRACEPARENT names; else each is a trace of its own. */
  readonly attach: boolean;
  /** Names that `--content none` hides become hashes with this key, which stays on this machine. */
  readonly hashKey: string;
}

export type TraceIdRule = "records" | "session";
