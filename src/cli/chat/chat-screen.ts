import type { ChatEvent } from "../../agent/chat-event.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/neutralize.js";
import type { Style } from "../../render/style.js";
import { textWidth } from "../../session/text-width.js";
import { summarizeCall } from "../../session/tool-summary.js";
import { oneLine } from "./one-line.js";
import { settledPart } from "./settled-part.js";

const MAX_SUMMARY = 160;
const MAX_RESULT = 120;

export interface Terminal {
  readonly columns: number;
  /** Somebody types: only whole lines find a place above. */
  readonly isBusy: boolean;
  write(text: string): void;
}

/** What a plain terminal shows of a chat: streamed text, and a line for each call and its result. */
export class ChatScreen {
  /** The line that streams, and how much of it can be seen. */
  #line = "";
  #shown = "";
  /** What can be seen of it stands further up. */
  #isBroken = false;

  constructor(
    private readonly terminal: Terminal,
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
    this.terminal.write(`${paint(this.#safe(text))}\n`);
  }

  /** What is left of a line that streams. */
  endLine(): void {
    if (this.#line !== "") this.#finish(this.#line);
  }

  /** What streams on does so in a new row. */
  breakLine(): void {
    if (this.#shown === "" || this.#isBroken) return;
    this.#isBroken = true;
    this.terminal.write("\n");
  }

  /** Word by word; a line in which something must be hidden comes as a whole. */
  #stream(text: string): void {
    const lines = (this.#line + text).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) this.#finish(line);
    this.#line = last;
    if (this.terminal.isBusy) return;
    const part = neutralize(settledPart(last, (words) => this.#hides(words)));
    if (!part.startsWith(this.#shown)) return;
    this.terminal.write(part.slice(this.#shown.length));
    this.#shown = part;
  }

  #finish(line: string): void {
    const text = this.#safe(line);
    const isGrown = text.startsWith(this.#shown);
    this.terminal.write(`${isGrown ? text.slice(this.#shown.length) : this.#erase() + text}\n`);
    this.#line = "";
    this.#shown = "";
    this.#isBroken = false;
  }

  /** What takes away the beginning of a line that turned out otherwise. */
  #erase(): string {
    if (this.#isBroken) return "";
    const rowsAbove = Math.max(Math.ceil(textWidth(this.#shown) / this.terminal.columns) - 1, 0);
    return `\r${rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ""}\u001b[J`;
  }

  #hides(text: string): boolean {
    return this.redactor.text(text) !== text;
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
