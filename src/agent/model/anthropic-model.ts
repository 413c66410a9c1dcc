import Anthropic from "@anthropic-ai/sdk";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { textBlock } from "../../format/api-message.js";
import type { JsonObject } from "../../format/json.js";
import { markLast, markMessages } from "./cache-marks.js";
import { AnswerCollector } from "./collect-answer.js";
import { type Answer, type AnswerListener, type Model, ModelError, type ModelRequest } from "./model.js";
import { modelFacts } from "./model-facts.js";
import { type RetryOptions, retrying } from "./retrying.js";
import { toModelError } from "./to-model-error.js";

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
  /** An answer that says nothing for so long is given up and asked for again. */
  readonly idleMs?: number;
  readonly retry?: RetryOptions;
}

const IDLE_MS = 90_000;

/** The Messages API through Anthropic's SDK; what its retries leave out (a stream that breaks or falls silent) is done here. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const client = new Anthropic({
    apiKey: options.apiKey ?? null,
    authToken: options.apiKey === undefined ? (options.authToken ?? null) : null,
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    maxRetries: 0,
  });
  return {
    answer: (request, listener, signal) =>
      retrying(() => attempt(client, toParams(request, options), listener, signal, options.idleMs ?? IDLE_MS), {
        ...options.retry,
        onRetry: (notice) => listener.retry(notice),
        signal,
      }),
  };
}

async function attempt(
  client: Anthropic,
  params: MessageCreateParamsStreaming,
  listener: AnswerListener,
  signal: AbortSignal,
  idleMs: number,
): Promise<Answer> {
  const controller = new AbortController();
  const watchdog = new Watchdog(idleMs, controller);
  const stop = () => controller.abort();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const collector = new AnswerCollector(listener, () => stream.request_id ?? undefined);
  const stream = client.messages.stream(params, { signal: controller.signal });
  try {
    for await (const event of stream) {
      watchdog.feed();
      collector.take(event);
    }
    const answer = collector.result();
    if (answer && collector.isComplete) return answer;
    throw new ModelError("connection", "the answer ended before it was complete", undefined);
  } catch (error) {
    const answer = collector.result();
    if (answer && collector.isComplete) return answer;
    if (signal.aborted) return answer ?? NOTHING;
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

/** Broken off before anything came. */
const NOTHING: Answer = {
  id: "",
  model: "",
  requestId: undefined,
  usage: {},
  blocks: [],
  stopReason: null,
  stopSequence: null,
};

class Watchdog {
  readonly #timer: NodeJS.Timeout;
  hasBarked = false;

  constructor(idleMs: number, controller: AbortController) {
    this.#timer = setTimeout(() => {
      this.hasBarked = true;
      controller.abort();
    }, idleMs);
  }

  feed(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
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
  return params as unknown as MessageCreateParamsStreaming;
}

function thinkingParams(
  model: string,
  maxTokens: number,
  { thinking = "auto", effort }: AnthropicModelOptions,
): JsonObject {
  const isAdaptive = thinking === "adaptive" || (thinking === "auto" && modelFacts(model).isAdaptive);
  return {
    ...(isAdaptive ? { thinking: { type: "adaptive" } } : {}),
    ...(typeof thinking === "number"
      ? { thinking: { type: "enabled", budget_tokens: Math.min(thinking, maxTokens - 1) } }
      : {}),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}
