const NO_LEAF = "00000000-0000-0000-0000-000000000000";

/** What clients write beside the conversation: titles, modes, file history, costs. */
export function sideRecords({ clock, client, origin, space, ledger, files, transcript, story }) {
  const { side, node } = transcript;
  const startTime = clock.epoch();
  const state = { title: undefined, aiTitle: undefined, lastPrompt: "", promptUuid: "", turnStart: startTime };

  const isInteractive = origin.entrypoint === "cli";

  transcript.noteFirstChange = (path, messageId) => {
    if (!isInteractive) return;
    const backup = space.backUp(path, clock);
    const { promptUuid } = state;
    if (client.isNew) {
      const place = { messageId, snapshotMessageId: promptUuid, trackingPath: path, backup };
      transcript.sideWithoutSession({ type: "file-history-delta", ...place, timestamp: clock.now() });
    } else snapshot(messageId, { messageId: promptUuid, isSnapshotUpdate: true });
  };

  function snapshot(messageId, { messageId: owner = messageId, isSnapshotUpdate = false } = {}) {
    const trackedFileBackups = space.tracked(clock);
    const content = { messageId: owner, trackedFileBackups, timestamp: clock.now() };
    transcript.sideWithoutSession({ type: "file-history-snapshot", messageId, snapshot: content, isSnapshotUpdate });
  }

  function attach(attachment, content) {
    node({ attachment, type: "attachment", rendered: [{ content }], renderedRole: "system" });
  }

  function repeatTitles() {
    if (state.title !== undefined) side({ type: "custom-title", customTitle: state.title });
    if (state.title !== undefined && client.isNew) side({ type: "agent-name", agentName: state.title });
    if (state.aiTitle !== undefined) side({ type: "ai-title", aiTitle: state.aiTitle });
  }

  function modes() {
    side({ type: "mode", mode: "normal" });
    side({ type: "permission-mode", permissionMode: story.mode ?? "default" });
  }

  return {
    begin() {
      if (client.isNew) modes();
    },
    beginTurn() {
      state.turnStart = clock.epoch();
    },
    turnStart: () => state.turnStart,
    afterPrompt(content, uuid, { isFirst }) {
      state.promptUuid = uuid;
      state.lastPrompt = typeof content === "string" ? content : (content.at(-1)?.text ?? "");
      if (isInteractive) snapshot(uuid);
      if (!client.isNew || !isFirst) return;
      const workingDirectory = origin.cwd;
      attach(
        { type: "environment", snapshot: { workingDirectory, isGitRepo: true, platform: "linux", shell: "bash" } },
        `Working directory: ${workingDirectory}`,
      );
      const date = clock.now().slice(0, 10);
      attach({ type: "date", date }, `<system-reminder>\nToday's date is ${date}.\n</system-reminder>`);
    },
    afterTurn() {
      if (!client.isNew) return;
      side({ type: "last-prompt", lastPrompt: state.lastPrompt, leafUuid: transcript.tip() });
      repeatTitles();
      modes();
    },
    rewound() {
      if (client.isNew) side({ type: "last-prompt", leafUuid: NO_LEAF, explicit: true });
    },
    end() {
      if (!client.isNew) return;
      const totalDuration = clock.epoch() - startTime;
      const usage = {
        totalCostUSD: ledger.cost(),
        totalAPIDuration: Math.round(totalDuration * 0.4),
        totalDuration,
        startTime,
      };
      side({ type: "cost-state", ...usage, modelUsage: ledger.report(), hasUnknownModelCost: false });
    },
    actions: {
      cost: () => ledger.cost(),
      title(text) {
        state.title = text;
        repeatTitles();
        const sidecar = `${JSON.stringify({ customTitle: text })}\n`;
        if (client.isNew) files.set(`${origin.sessionId}/custom-title.json`, sidecar);
      },
      aiTitle(text) {
        state.aiTitle = text;
        repeatTitles();
      },
      pullRequest(number, repository) {
        const prUrl = `https://github.com/${repository}/pull/${number}`;
        side({ type: "pr-link", prNumber: number, prUrl, prRepository: repository, timestamp: clock.now() });
      },
      snapshot,
    },
  };
}
