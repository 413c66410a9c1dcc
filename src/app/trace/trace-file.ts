import { UserError } from "../../errors.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { formatCount } from "../../render/format-values.js";
import { traceSession } from "../../trace/observe/trace-session.js";
import type { SessionToTrace } from "../../trace/outbox/send-sessions.js";
import { jsonRequest, protobufRequest } from "../../trace/spans/otlp-request.js";
import { type ContentChoice, prepareContent } from "../../trace/spans/prepare-content.js";
import { type AttributeChoice, toSpans } from "../../trace/spans/to-spans.js";
import type { Io } from "../io.js";
import { type OutputFile, writeOutputFile } from "../output-file.js";

interface FileOptions {
  readonly attributes: AttributeChoice | undefined;
  readonly content: ContentChoice | undefined;
  readonly since: number | undefined;
  readonly makeRedactor: () => Redactor | null;
}

/** All final turns as one OTLP request. */
export async function writeTraceFile(
  sessions: Iterable<SessionToTrace>,
  options: FileOptions,
  output: Omit<OutputFile, "source">,
  io: Io,
): Promise<void> {
  const isProtobuf = /\.(pb|bin|protobuf)$/.test(output.path);
  if (!isProtobuf && !output.path.endsWith(".json")) {
    throw new UserError("usage", `what is to be written to ${output.path}?`, "end it in .json, or in .pb for protobuf");
  }
  let spans = 0;
  const counted = function* (): Generator<string> {
    for (const span of spansOf(sessions, options)) {
      spans += 1;
      yield span;
    }
  };
  await writeOutputFile(output, isProtobuf ? protobufPieces(counted()) : jsonPieces(counted()));
  io.stderr(`${formatCount(spans, "span")} in ${output.path}\n`);
}

function* spansOf(sessions: Iterable<SessionToTrace>, options: FileOptions): Generator<string> {
  const { attributes = "all", content = "all", since = Number.NEGATIVE_INFINITY, makeRedactor } = options;
  const seen = new Set<string>();
  for (const { path, options: read } of sessions) {
    const redactor = makeRedactor();
    for (const { trace, isFinal } of traceSession(path, read)) {
      if (!isFinal || (trace.observations[0]?.startMs ?? 0) < since) continue;
      for (const span of toSpans(prepareContent(trace, { content, redactor }), attributes)) {
        if (!seen.has(span.spanId)) yield JSON.stringify(span);
        seen.add(span.spanId);
      }
    }
  }
}

/** The request around its spans, which need not fit into memory. */
function* jsonPieces(spans: Iterable<string>): Generator<string> {
  const [before = "", after = ""] = jsonRequest(["\0"]).split("\0");
  let separator = "";
  yield before;
  for (const span of spans) {
    yield `${separator}\n${span}`;
    separator = ",";
  }
  yield `\n${after}\n`;
}

const PROTOBUF_SPANS = 512;

/** Requests one after the other are one request: protobuf joins repeated fields. */
async function* protobufPieces(spans: Iterable<string>): AsyncGenerator<Uint8Array> {
  let waiting: string[] = [];
  for (const span of spans) {
    waiting.push(span);
    if (waiting.length < PROTOBUF_SPANS) continue;
    yield await protobufRequest(waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield await protobufRequest(waiting);
}
