import type { AssistantRecord, UserRecord } from "../../format/record/record.js";
import { isSynthetic, messageKey } from "../../session/messages/message.js";
import { type EditSource, readFullRecords } from "../plans/edit-source.js";
import { isThinking, type SourceRecord } from "../plans/source-record.js";

/** What the records of a session show together: which calls and results there are, and how messages end. */
export interface Survey {
  /** Calls that Claude Code runs, by id; `times`: how often the id was used. */
  readonly calls: ReadonlyMap<
    string,
    { readonly record: SourceRecord; readonly isAborted: boolean; readonly times: number }
  >;
  readonly allCalls: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, readonly { readonly record: SourceRecord; readonly isError: boolean }[]>;
  readonly messages: ReadonlyMap<string, MessageSurvey>;
  readonly unsigned: ReadonlySet<SourceRecord>;
}

interface MessageSurvey {
  /** The record and the place in it of the last block that is no thinking. */
  readonly lastWord: { readonly record: SourceRecord; readonly place: number } | undefined;
  readonly hasCall: boolean;
}

export function surveySession(source: EditSource, without: ReadonlySet<SourceRecord>): Survey {
  const survey = {
    calls: new Map<string, { record: SourceRecord; isAborted: boolean; times: number }>(),
    allCalls: new Set<string>(),
    results: new Map<string, { record: SourceRecord; isError: boolean }[]>(),
    messages: new Map<string, MessageSurvey>(),
    unsigned: new Set<SourceRecord>(),
  };
  for (const [record, known] of readFullRecords(source)) {
    if (without.has(known)) continue;
    if (record.kind === "assistant") addAnswer(record, known);
    if (record.kind === "user") addInput(record, known);
  }
  return survey;

  function addAnswer(record: AssistantRecord, known: SourceRecord): void {
    const calls = record.blocks.filter((block) => block.kind === "toolCall");
    for (const { id, isServerSide } of calls) {
      survey.allCalls.add(id);
      const { times = 0 } = survey.calls.get(id) ?? {};
      if (!isServerSide) survey.calls.set(id, { record: known, isAborted: record.isAborted, times: times + 1 });
    }
    if (record.blocks.some((block) => block.kind === "thinking" && !block.signature)) survey.unsigned.add(known);
    if (isSynthetic(record)) return;
    const before = survey.messages.get(messageKey(record));
    const place = record.blocks.findLastIndex((block) => !isThinking(block));
    const lastWord = place < 0 ? before?.lastWord : { record: known, place };
    survey.messages.set(messageKey(record), { lastWord, hasCall: (before?.hasCall ?? false) || calls.length > 0 });
  }

  function addInput({ blocks }: UserRecord, known: SourceRecord): void {
    for (const block of blocks) {
      if (block.kind !== "toolResult") continue;
      const results = survey.results.get(block.toolUseId) ?? [];
      survey.results.set(block.toolUseId, [...results, { record: known, isError: block.isError }]);
    }
  }
}
