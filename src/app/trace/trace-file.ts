import { UserError } from "../../errors.js";
import { attachSpans } from "../../trace/outbox/attach.js";
import { makeSpans } from "../../trace/spans/make-spans.js";
import { jsonRequest, protobufRequest } from "../../trace/spans/otlp-request.js";
import { type Resource, toResource } from "../../trace/spans/resource.js";
import { type OutputFile, writeOutputFile } from "../output-file.js";
import { type PreparedTraces, readPrepared } from "./send-traces.js";

/** Writes all final turns as one OTLP request. Returns the number of spans. */
export async function writeTraceFile(
  prepared: PreparedTraces,
  output: Pick<OutputFile, "path" | "overwrite">,
): Promise<number> {
  const isProtobuf = /\.(pb|bin|protobuf)$/.test(output.path);
  if (!isProtobuf && !output.path.endsWith(".json")) {
    throw new UserError("usage", `unknown file type: ${output.path}`, "end the name in .json, or in .pb for protobuf");
  }
  let count = 0;
  const counted = function* (): Generator<string> {
    for (const span of spansOf(prepared)) {
      count += 1;
      yield span;
    }
  };
  const resource = toResource(prepared.preview);
  const pieces = isProtobuf ? protobufPieces(counted(), resource) : jsonPieces(counted(), resource);
  await writeOutputFile({ ...output, roots: prepared.roots }, pieces);
  return count;
}

function* spansOf(prepared: PreparedTraces): Generator<string> {
  const seen = new Set<string>();
  for (const { trace, isFinal, redactor } of readPrepared(prepared)) {
    if (!isFinal) continue;
    const spans = makeSpans(trace, prepared.preview, redactor);
    for (const span of prepared.parent ? attachSpans(spans, prepared.parent) : spans) {
      if (!seen.has(span.spanId)) yield JSON.stringify(span);
      seen.add(span.spanId);
    }
  }
}

/** The request, span by span, as all spans may not fit into memory. */
function* jsonPieces(spans: Iterable<string>, resource: Resource): Generator<string> {
  const [before = "", after = ""] = jsonRequest(["\0"], resource).split("\0");
  let separator = "";
  yield before;
  for (const span of spans) {
    yield `${separator}\n${span}`;
    separator = ",";
  }
  yield `\n${after}\n`;
}

const PROTOBUF_SPANS = 512;

/** Concatenated protobuf requests are one request: repeated fields are joined. */
async function* protobufPieces(spans: Iterable<string>, resource: Resource): AsyncGenerator<Uint8Array> {
  let waiting: string[] = [];
  for (const span of spans) {
    waiting.push(span);
    if (waiting.length < PROTOBUF_SPANS) continue;
    yield await protobufRequest(waiting, resource);
    waiting = [];
  }
  if (waiting.length > 0) yield await protobufRequest(waiting, resource);
}
