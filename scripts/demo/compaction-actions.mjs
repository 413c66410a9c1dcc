const OPENING =
  "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:";

/** The history before a compaction stays in the file; the model continues with a summary. */
export function compactionActions({ ids, clock, meter, ledger, transcript, conversation, localCommand, model }) {
  /** The request that writes a summary leaves no record of its own. */
  function summarize(summary) {
    const preTokens = meter.context();
    ledger.add(model, meter.message(summary));
    meter.compact(summary);
    return { preTokens, postTokens: meter.context() };
  }

  function boundary(compactMetadata, logicalParentUuid) {
    const fields = { type: "system", subtype: "compact_boundary", content: "Conversation compacted", level: "info" };
    transcript.node({ logicalParentUuid, ...fields, isMeta: false, compactMetadata }, { parentUuid: null });
  }

  function summaryLine(summary, place = {}) {
    const marks = { isVisibleInTranscriptOnly: true, isCompactSummary: true };
    conversation.userLine(`${OPENING}\n${summary}`, marks, place);
  }

  return {
    /** `/compact`, typed by a person. */
    compactByHand(summary) {
      clock.pass(30);
      const logicalParent = transcript.tip();
      const { preTokens } = summarize(summary);
      boundary({ trigger: "manual", preTokens }, logicalParent);
      summaryLine(summary);
      localCommand("compact", "", "Compacted (ctrl+o to see full summary)");
    },
    /** The context was full: the prompt that was just typed is kept. */
    compactForRoom(prompt, summary) {
      const durationMs = 10_840;
      clock.pass(durationMs / 1000);
      const { preTokens, postTokens } = summarize(summary);
      const anchorUuid = ids.uuid();
      const counts = { trigger: "auto", preTokens, postTokens, cumulativeDroppedTokens: preTokens - postTokens };
      const preservedSegment = { headUuid: prompt, anchorUuid, tailUuid: prompt };
      const preservedMessages = { anchorUuid, uuids: [prompt], allUuids: [prompt] };
      boundary({ ...counts, durationMs, preservedSegment, preservedMessages }, prompt);
      summaryLine(summary, { uuid: anchorUuid });
    },
  };
}
