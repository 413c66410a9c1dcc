import { CLIENTS } from "./clients.mjs";
import { openClock } from "./clock.mjs";
import { compactionActions } from "./compaction-actions.mjs";
import { openConversation } from "./conversation.mjs";
import { idSource } from "./id-source.mjs";
import { localActions } from "./local-actions.mjs";
import { openLedger, openMeter } from "./meter.mjs";
import { sideRecords } from "./side-records.mjs";
import { agentLauncher } from "./sub-agents.mjs";
import { taskActions } from "./task-actions.mjs";
import { openTranscript } from "./transcript.mjs";
import { openWorkspace } from "./workspace.mjs";

/** Every character but letters and digits becomes a dash. */
const toSlug = (cwd) => cwd.replace(/[^A-Za-z0-9]/g, "-");

/** Plays one story; gives its files as `[path, text]`, relative to the configuration folder. */
export function recordSession(story) {
  const { client: version, cwd, gitBranch, model, start, entrypoint = "cli", thinking = [60, 900] } = story;
  const client = CLIENTS[version];
  const ids = idSource(story.name);
  const clock = openClock(start);
  const origin = { entrypoint, cwd, sessionId: ids.uuid(), version, gitBranch };
  const folder = `projects/${toSlug(cwd)}`;
  const space = openWorkspace(cwd, story.files ?? {});
  const parts = { ids, clock, client, origin, space, ledger: openLedger(), meter: openMeter(16_400), files: new Map() };
  const transcript = openTranscript({ ...parts });
  const side = sideRecords({ ...parts, transcript, story, folder });
  const outputFile = (taskId) => `/tmp/claude/${toSlug(cwd)}/tasks/${taskId}.output`;
  const launch = agentLauncher({ ...parts, folder, model, outputFile });
  const conversation = openConversation({ ...parts, transcript, model, thinking, launch, outputFile });
  const context = { ...parts, transcript, conversation, side, model, outputFile };

  side.begin();
  const local = localActions(context);
  story.tell({
    ...conversation,
    ...speech(context),
    ...local,
    ...compactionActions({ ...context, localCommand: local.localCommand }),
    ...taskActions(context),
    ...side.actions,
  });
  side.end();
  return filesOf({ ...parts, transcript, folder });
}

function speech({ ids, clock, client, meter, space, transcript, conversation, side }) {
  let turn = 0;
  let isRewound = false;
  return {
    wait: (seconds) => clock.pass(seconds),
    /** What a person types. */
    prompt(content, { mode = "default" } = {}) {
      turn += 1;
      side.beginTurn();
      conversation.newPrompt();
      meter.read(typeof content === "string" ? content : JSON.stringify(content));
      const uuid = conversation.userLine(
        content,
        client.isNew ? newPromptFields(mode, turn) : oldPromptFields(client, mode),
      );
      side.afterPrompt(content, uuid, { isFirst: turn === 1 });
      if (isRewound) side.rewound();
      isRewound = false;
      return uuid;
    },
    /** The end of a turn, as an interactive client notes it. */
    done() {
      clock.pass(0.2);
      if (client.isNew) {
        const fields = {
          durationMs: clock.epoch() - side.turnStart(),
          messageCount: ids.between(4, 20),
          isMeta: false,
        };
        transcript.node({ type: "system", subtype: "turn_duration", ...fields });
      }
      side.afterTurn();
    },
    mark: () => ({ tip: transcript.tip(), tokens: meter.mark(), files: space.mark() }),
    /** Conversation and code go back; what was said since stays in the file. */
    rewind(mark) {
      transcript.setTip(mark.tip);
      meter.rewind(mark.tokens);
      space.rewind(mark.files);
      isRewound = true;
    },
  };
}

function newPromptFields(permissionMode, turn) {
  return {
    permissionMode,
    origin: { kind: "human" },
    promptSource: "typed",
    turnOrigin: "human",
    turnPosition: { promptIndex: turn, turnIndex: turn },
  };
}

function oldPromptFields({ version }, permissionMode) {
  return version === "2.0.50" ? {} : { thinkingMetadata: { maxThinkingTokens: 31999 }, todos: [], permissionMode };
}

function filesOf({ transcript, folder, origin, space, files }) {
  const { sessionId } = origin;
  return [
    [`${folder}/${sessionId}.jsonl`, transcript.text()],
    ...[...files].map(([path, text]) => [`${folder}/${path}`, text]),
    ...[...space.backups].map(([name, text]) => [`file-history/${sessionId}/${name}`, text]),
  ];
}
