import Anthropic from "@anthropic-ai/sdk";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { type JsonObject, toWellFormed } from "../../format/json.js";
import { type ApiBlock, type ApiMessage, textBlock } from "../../format/record/api-message.js";
import { AnswerCollector } from "./collect-answer.js";
import { type Answer, type AnswerListener, type Model, ModelError, type ModelRequest } from "./model.js";
import { modelFacts } from "./model-facts.js";
import { type RetryOptions, retrying, toModelError } from "./retry.js";

export type Thinking = "auto" | "adaptive" | "off" | number; // a number is a budget in tokens

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface AnthropicModelOptions {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly thinking?: Thinking;
  readonly effort?: Effort | undefined;
  readonly maxTokens?: number | undefined;
  /** After this long without data the request is aborted and retried. */
  readonly idleMs?: number;
  readonly retry?: RetryOptions;
}

const IDLE_MS = 90_000;

/** The Messages API through Anthropic's SDK. Streams that break or stall are retried here, because the SDK does not. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const client = new Anthropic({
    apiKey: options.apiKey ?? null,
    authToken: options.apiKey === undefined ? (options.authToken ?? null) : null,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    maxRetries: 0,
  });
  return {
    answer: (request, listen, signal) =>
      retrying(() => attempt(client, toParams(request, options), listen, signal, options.idleMs ?? IDLE_MS), {
        ...options.retry,
        onRetry: (notice) => listen({ kind: "retry", notice }),
        signal,
      }),
  };
}

async function attempt(
  client: Anthropic,
  params: MessageCreateParamsStreaming,
  listen: AnswerListener,
  signal: AbortSignal,
  idleMs: number,
): Promise<Answer> {
  if (signal.aborted) return NOTHING;
  const controller = new AbortController();
  const watchdog = new Watchdog(idleMs, controller);
  const stop = () => controller.abort();
  signal.addEventListener("abort", stop);
  const collector = new AnswerCollector(listen, () => stream.request_id ?? undefined);
  const heard = client.withOptions({ fetch: (input, init) => fetchHeard(input, init, () => watchdog.hear()) });
  const stream = heard.messages.stream(params, { signal: controller.signal });
  try {
    await Promise.race([
      hear(stream, (event) => {
        watchdog.feed();
        if (!controller.signal.aborted) collector.take(event);
      }),
      watchdog.abandoned,
    ]);
    const answer = collector.result();
    if (answer && collector.isComplete) return answer;
    throw new ModelError("connection", "the answer ended before it was complete", undefined);
  } catch (error) {
    const answer = collector.result();
    if (answer && collector.isComplete) return answer;
    if (signal.aborted) {
      collector.abort();
      return collector.result() ?? NOTHING;
    }
    collector.discard();
    if (watchdog.hasBarked) {
      throw new ModelError("connection", `the API said nothing for ${Math.round(idleMs / 1000)} s`, undefined);
    }
    throw toModelError(error);
  } finally {
    watchdog.stop();
    signal.removeEventListener("abort", stop);
    stream.abort();
  }
}

/** Aborted before anything was received. */
const NOTHING: Answer = {
  id: "",
  model: "",
  requestId: undefined,
  usage: {},
  blocks: [],
  stopReason: null,
  stopSequence: null,
};

async function hear<Event>(stream: AsyncIterable<Event>, take: (event: Event) => void): Promise<void> {
  for await (const event of stream) take(event);
}

/** Reports every received chunk: the SDK does not expose the API's pings. */
async function fetchHeard(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  onBytes: () => void,
): Promise<Response> {
  const response = await fetch(input, init);
  const listening = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, out) {
      onBytes();
      out.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(listening) ?? null, response);
}

/** How long a stream may take to end after an abort. */
const ABORT_GRACE_MS = 500;
/** A model that thinks silently sends only pings; then the idle limit is this many times longer. */
const LIFE_SIGNS = 10;

class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #grace: NodeJS.Timeout | undefined;
  #lastEvent = performance.now();
  hasBarked = false;
  /** Rejects when an aborted stream does not end, so that nothing waits for it. */
  readonly abandoned: Promise<never>;

  constructor(
    private readonly idleMs: number,
    controller: AbortController,
  ) {
    this.#timer = setTimeout(() => {
      this.hasBarked = true;
      controller.abort();
    }, idleMs);
    this.abandoned = new Promise((_, reject) => {
      const giveUp = () => {
        this.#grace = setTimeout(() => reject(new Error("broken off")), ABORT_GRACE_MS);
      };
      controller.signal.addEventListener("abort", giveUp, { once: true });
    });
    this.abandoned.catch(() => undefined);
  }

  feed(): void {
    this.#lastEvent = performance.now();
    this.#timer.refresh();
  }

  hear(): void {
    if (performance.now() - this.#lastEvent < this.idleMs * LIFE_SIGNS) this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#grace);
  }
}

function toParams(request: ModelRequest, options: AnthropicModelOptions): MessageCreateParamsStreaming {
  const model = request.model.replace(/\[1m\]$/, "");
  const maxTokens = request.maxTokens ?? options.maxTokens ?? modelFacts(request.model).maxOutput;
  const system = markLast(request.system.filter((text) => text.trim() !== "").map(textBlock));
  const tools = [
    ...request.tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
    ...(request.serverTools ?? []),
  ];
  const params = {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    messages: request.isAside ? request.messages : markMessages(request.messages),
    ...(request.isAside ? {} : thinkingParams(request.model, maxTokens, options)),
  };
  // Truncated text may end in half a surrogate pair, which the API rejects.
  return toWellFormed(params).value as MessageCreateParamsStreaming;
}

function thinkingParams(
  model: string,
  maxTokens: number,
  { thinking = "auto", effort }: AnthropicModelOptions,
): JsonObject {
  return {
    ...thinkingParam(model, maxTokens, thinking),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

function thinkingParam(model: string, maxTokens: number, thinking: Thinking): JsonObject {
  // Some models think by default.
  if (thinking === "off") return { thinking: { type: "disabled" } };
  if (typeof thinking === "number")
    return { thinking: { type: "enabled", budget_tokens: Math.min(thinking, maxTokens - 1) } };
  const isAdaptive = thinking === "adaptive" || modelFacts(model).isAdaptive;
  return isAdaptive ? { thinking: { type: "adaptive" } } : {};
}

const MARK = { cache_control: { type: "ephemeral" } } as const;

/**
 * Marks the end of the last two user messages. The last one makes the next request cheap; the one before finds what
 * the previous request cached, however many blocks are between (the API looks back 20). With the mark at the end of the
 * system prompt, which covers the tools too, these are three of the four marks that the API allows.
 */
function markMessages(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const marked = new Set(
    messages
      .map(({ role }, at) => (role === "user" ? at : -1))
      .filter((at) => at >= 0)
      .slice(-2),
  );
  return messages.map((message, at) => (marked.has(at) ? { ...message, content: markLast(message.content) } : message));
}

function markLast(blocks: readonly ApiBlock[]): readonly ApiBlock[] {
  return blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...MARK } : block));
}
