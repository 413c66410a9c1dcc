import { identityOf, type Message } from "../messages/message.js";
import type { FollowUp, Preamble, Turn } from "./build-turn.js";
import type { Compaction } from "./compactions.js";
import type { ToolCall } from "./tool-calls.js";

/** What is shown of a turn or of the preamble. */
export interface TurnContent extends Preamble {
  readonly followUps: readonly FollowUp[];
  readonly compactions: readonly Compaction[];
}

export interface PartState {
  /** Nothing more is expected: open calls and commands are taken as they are. */
  readonly isOver: boolean;
  readonly lastLine: number; // of the file
}

/** Takes every part of a growing session once, and not before it is final. */
export interface SeenParts {
  takePart(part: TurnContent, state: PartState): TurnContent;
  /**
   * Again when it changed: some versions write a prompt in several records. Not when it was taken as a local command, which
   * becomes a prompt only with its answer.
   */
  takesPrompt(turn: Turn, state: PartState): boolean;
  takesEnd(turn: Turn): boolean;
}

export function trackSeenParts(): SeenParts {
  const seen = new Set<string>();
  const isNew = (key: string) => !seen.has(key) && seen.add(key).has(key);

  return {
    takePart: (part, { isOver, lastLine }) => {
      const isSettled = ({ line, output }: { line: number; output: string | null }) =>
        output !== null || isOver || lastLine > line;
      const toolCalls = part.toolCalls.filter(
        ({ id, status }) => (status !== "orphan" || isOver) && isNew(`call ${id}`),
      );
      return {
        toolCalls,
        messages: unseenMessages(part.messages, toolCalls, isNew),
        notices: part.notices.filter(({ line }) => isNew(`notice ${line}`)),
        orphanResults: part.orphanResults.filter(({ line, toolUseId }) => isNew(`result ${line} ${toolUseId}`)),
        followUps: part.followUps.filter(
          ({ line, deliveryRecorded }) => (deliveryRecorded || isOver) && isNew(`prompt ${line}`),
        ),
        locals: part.locals.filter((local) => isSettled(local) && isNew(`local ${local.line}`)),
        compactions: part.compactions.filter(({ line }) => isNew(`compaction ${line}`)),
      };
    },
    takesPrompt: ({ line, kind, prompt, context, output }, { lastLine }) => {
      const isWaiting = (kind === "bash" || kind === "command") && output === null && lastLine === line;
      return (
        !isWaiting &&
        !seen.has(`local ${line}`) &&
        isNew(`turn ${line} ${prompt.length} ${context.length} ${output?.length}`)
      );
    },
    takesEnd: ({ line, usage, interrupted }) => isNew(`end ${line} ${JSON.stringify(usage)} ${interrupted}`),
  };
}

/** Calls are shown when they have their result; a text that grew is shown again. */
function unseenMessages(
  messages: readonly Message[],
  toolCalls: readonly ToolCall[],
  isNew: (key: string) => boolean,
): Message[] {
  const calls = new Set(toolCalls.map(({ id }) => id));
  return messages.flatMap((message) => {
    const key = identityOf(message);
    const blocks = message.blocks.filter((block, index) => {
      if (block.kind === "toolCall") return calls.has(block.id);
      const length = block.kind === "text" || block.kind === "thinking" ? block.text.length : 0;
      return isNew(`block ${key} ${index} ${length}`);
    });
    return blocks.length > 0 ? [{ ...message, blocks }] : [];
  });
}
