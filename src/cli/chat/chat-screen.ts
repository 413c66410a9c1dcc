import type { ChatEvent } from "../../agent/chat-event.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/neutralize.js";
import type { Style } from "../../render/style.js";
import { summarizeCall } from "../../session/tool-summary.js";

const MAX_SUMMARY = 160;
const MAX_RESULT = 120;

/** What a plain terminal shows of a chat: streamed text, and a line for each call and its result. */
export class ChatScreen {
  #line = "";

  constructor(
    private readonly write: (text: string) => void,
    private readonly style: Style,
    private readonly redactor: Redactor,
  ) {}

  hear(event: ChatEvent): void {
    switch (event.kind) {
      case "delta":
        if (event.of === "text") this.#stream(event.text);
        break;
      case "line":
        if (event.line.type === "assistant") this.endLine();
        break;
      case "call": {
        const { call, agentType } = event;
        const who = agentType === undefined ? "" : `${agentType}: `;
        this.say(
          `● ${who}${call.name}(${oneLine(summarizeCall(call.name, call.input), MAX_SUMMARY)})`,
          this.style.cyan,
        );
        break;
      }
      case "result":
        this.#showResult(event);
        break;
      case "retry":
        this.say(`${event.notice.reason}; again in ${Math.ceil(event.notice.delayMs / 1000)} s`, this.style.yellow);
        break;
      case "compacted":
        this.say(`summed up: about ${event.preTokens} tokens became ${event.postTokens}`, this.style.dim);
        break;
      case "notice":
        this.say(event.text, this.style.yellow);
        break;
      default:
        event satisfies never;
    }
  }

  say(text: string, paint: (text: string) => string = (plain) => plain): void {
    this.endLine();
    this.write(`${paint(this.#safe(text))}\n`);
  }

  /** What is left of a line that streams. */
  endLine(): void {
    if (this.#line !== "") this.write(`${this.#safe(this.#line)}\n`);
    this.#line = "";
  }

  /** Line by line, as a secret can only be seen in a whole one. */
  #stream(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.write(`${this.#safe(line)}\n`);
  }

  #showResult({ outcome }: Extract<ChatEvent, { kind: "result" }>): void {
    const content =
      typeof outcome.content === "string"
        ? outcome.content
        : outcome.content.map(({ text, type }) => text ?? `[${type}]`).join(" ");
    this.say(`  ⎿ ${oneLine(content, MAX_RESULT)}`, outcome.isError ? this.style.red : this.style.dim);
  }

  #safe(text: string): string {
    return neutralize(this.redactor.text(text));
  }
}

function oneLine(text: string, length: number): string {
  const [first = "", ...more] = text.split("\n").filter((line) => line.trim() !== "");
  const cut = first.length > length ? `${first.slice(0, length)}…` : first;
  return more.length > 0 ? `${cut} (+${more.length} lines)` : cut;
}
