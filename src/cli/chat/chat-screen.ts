import { relative } from "node:path";
import type { ChatEvent } from "../../agent/conversation/chat-event.js";
import type { Call } from "../../agent/conversation/loop.js";
import type { ApprovalRequest } from "../../agent/permissions/permission-desk.js";
import type { ProjectGrants } from "../../agent/permissions/project-trust.js";
import { stringAt } from "../../format/json.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { formatBytes, formatDuration, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import { paintMarkdown } from "../../render/terminal/paint-markdown.js";
import type { PaintOptions } from "../../render/terminal/paint-options.js";
import { toText } from "../../render/terminal/paint-text.js";
import type { Style } from "../../render/terminal/style.js";
import { wrapLines } from "../../render/terminal/wrap-lines.js";
import { shownToolName } from "../../render/tools/view-parts.js";
import { summarizeCall } from "../../session/turns/tool-calls.js";
import { cutToColumns, textWidth } from "../../text-width.js";
import { AnswerStream, type Terminal } from "./answer-stream.js";
import { paintChatCall, paintRequest, showControls, toEndedCall } from "./paint-chat-call.js";

export interface ChatTerminal extends Terminal {
  /** A temporary row, removed when something is written. */
  hint(text: string): void;
}

export interface ScreenOptions {
  readonly style: Style;
  readonly redactor: Redactor;
  /** Paths below it are shown relative to it. */
  readonly folder: string;
}

type EndedEvent = Extract<ChatEvent, { kind: "call-ended" }>;

const NARROWEST = 20;
/** Tools whose dialog was already shown. */
const TALKING: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/** The chat on a plain terminal: streamed text, and for each call a line with its result. */
export class ChatScreen {
  readonly #answer: AnswerStream;
  /** Start times. */
  readonly #running = new Map<Call, number>();
  #doing = "";
  #doingSince = 0;
  /** Of the input of a call that is still streaming. */
  #inputChars = 0;
  /** The change that was shown in the last approval. */
  #seenChange = "";
  #isBehindGap = true;

  constructor(
    private readonly terminal: ChatTerminal,
    private readonly options: ScreenOptions,
  ) {
    this.#answer = new AnswerStream(terminal, options.redactor);
  }

  hear(event: ChatEvent): void {
    const { style } = this.options;
    switch (event.kind) {
      case "call-started":
        this.#running.set(event.call, performance.now());
        this.tick();
        break;
      case "call-ended":
        this.#showResult(event);
        break;
      case "retry": {
        const { reason, delayMs } = event.notice;
        this.say(`${reason}; trying again in ${formatDuration(Math.ceil(delayMs / 1000) * 1000)}`, style.yellow);
        break;
      }
      case "compacted": {
        const { preTokens, postTokens } = event;
        this.say(`compacted: about ${formatTokens(preTokens)} tokens became ${formatTokens(postTokens)}`, style.dim);
        break;
      }
      case "notice":
        this.say(event.text, style.yellow);
        break;
      default:
        if (event.agent === null) this.#hearAnswer(event);
    }
  }

  /** The main conversation only: parallel sub-agents would mix their words. */
  #hearAnswer(event: ChatEvent): void {
    switch (event.kind) {
      case "text-delta":
        this.#stream(event.text);
        break;
      case "text-end":
        this.endLine();
        break;
      case "thinking-start":
        this.#do("thinking");
        break;
      case "input-start":
        this.#inputChars = 0;
        this.#do(`writing the input of ${shownToolName(event.name)}`);
        this.tick();
        break;
      case "input-delta":
        this.#inputChars += event.json.length;
        break;
      case "input-end":
        this.#do("waiting for the model");
        break;
      default:
    }
  }

  say(text: string, ink?: (text: string) => string): void {
    this.endLine();
    this.#write(this.#toLines(text, ink));
  }

  /** Shows something beside the answer. */
  mention(text: string, ink?: (text: string) => string): void {
    this.#mention(this.#toLines(text, ink));
  }

  markdown(text: string): void {
    this.endLine();
    this.#write(toText(paintMarkdown(this.options.redactor.text(text), this.#paint)));
  }

  question(text: string): void {
    const { style } = this.options;
    this.say(`? ${text}`, style.bold);
  }

  /** Shows exactly what needs approval: nothing is masked or cut. */
  request(request: ApprovalRequest): void {
    const { tool, input, suggestions } = request;
    const { style } = this.options;
    this.endLine();
    this.#write(toText(paintRequest(request, this.#paint)));
    const command = stringAt(input, "command");
    for (const rule of suggestions) {
      const text = `  always: ${rule === `${tool}(${command})` ? "this exact command" : showControls(rule)}`;
      this.#write(this.#listed(text, style.dim));
    }
    this.#seenChange = changeKey({ name: tool, input });
  }

  /** Lists all that a project's settings bring: nothing is masked or cut. */
  project({ folder, grants }: ProjectGrants): void {
    const { style } = this.options;
    this.endLine();
    this.#write(`${style.yellow("?")} ${style.bold("This project brings settings that would count here")}\n`);
    let file = "";
    for (const grant of grants) {
      if (grant.file !== file) this.#write(this.#listed(`  ${relative(folder, grant.file)}`, style.dim));
      file = grant.file;
      this.#write(this.#listed(`    ${grant.what}: ${showControls(grant.value)}`));
    }
  }

  /** Writes a blank line, unless there is one. */
  gap(): void {
    if (!this.#isBehindGap) this.terminal.tell("\n");
    this.#isBehindGap = true;
  }

  endLine(): void {
    this.#answer.end();
  }

  breakLine(): void {
    this.#answer.breakRow();
  }

  /** A turn starts. */
  startTurn(): void {
    this.#do("waiting for the model");
  }

  /** Updates the status row. */
  tick(): void {
    if (this.#answer.isInRow) return;
    const { style, redactor, folder } = this.options;
    const [call, since] = [...this.#running].at(-1) ?? [undefined, this.#doingSince];
    const summary = call && summarizeCall(call.name, call.input).replaceAll(`${folder}/`, "");
    const what = call ? `${call.name} ${summary}` : `${this.#doing}${this.#inputSize()}`;
    const seconds = Math.floor((performance.now() - since) / 1000);
    const time = seconds === 0 ? "" : `, ${formatDuration(seconds * 1000)}`;
    this.terminal.hint(style.dim(toHint(redactor.text(what), time, this.terminal.columns)));
  }

  get #paint(): PaintOptions {
    const { style, folder } = this.options;
    const columns = Math.max(this.terminal.columns, NARROWEST);
    return { style, columns, isPlain: false, thinking: false, tools: "brief", highlight: null, folder };
  }

  #stream(text: string): void {
    this.#do("waiting for the model");
    this.#isBehindGap = false;
    this.#answer.add(text);
  }

  #inputSize(): string {
    return this.#inputChars === 0 ? "" : ` (${formatBytes(this.#inputChars)} so far)`;
  }

  #do(what: string): void {
    if (what === this.#doing && what === "thinking") return;
    this.#inputChars = 0;
    this.#doing = what;
    this.#doingSince = performance.now();
  }

  #showResult({ call, outcome, agent, durationMs }: EndedEvent): void {
    const { redactor } = this.options;
    const agentType = agent?.type;
    this.#running.delete(call);
    this.#do("waiting for the model");
    const ended = toEndedCall(call, outcome, durationMs ?? null);
    if (durationMs !== undefined && TALKING.has(call.name)) return;
    const isBrief = this.#seenChange !== "" && this.#seenChange === changeKey(call);
    if (isBrief) this.#seenChange = "";
    const text = toText(paintChatCall(redactor.json(ended, "call"), this.#paint, { agentType, isBrief }));
    if (agentType === undefined) this.endLine();
    this.#mention(text);
  }

  #mention(text: string): void {
    this.#isBehindGap = false;
    this.#answer.aside(text);
  }

  #write(text: string): void {
    this.#isBehindGap = false;
    this.terminal.tell(text);
  }

  #listed(text: string, ink: (text: string) => string = (plain) => plain): string {
    return `${ink(wrapLines(neutralize(text), this.terminal.columns))}\n`;
  }

  #toLines(text: string, ink: (text: string) => string = (plain) => plain): string {
    return `${ink(wrapLines(neutralize(this.options.redactor.text(text)), this.terminal.columns))}\n`;
  }
}

/** Empty for tools that change no file. */
function changeKey({ name, input }: Omit<Call, "id">): string {
  return /^(?:Edit|MultiEdit|Write)$/.test(name) ? `${name} ${stringAt(input, "file_path")}` : "";
}

/** One row; the time is never cut. */
function toHint(what: string, time: string, columns: number): string {
  const line = neutralize(what).replace(/\s+/g, " ");
  return `… ${cutToColumns(line, Math.max(columns - textWidth(time) - 3, 1))}${time}`;
}
