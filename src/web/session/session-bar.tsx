import { useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import { neutralize } from "../../render/neutralize.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { navigate } from "../router.js";
import { type SessionRoute, searchPath, sessionPath } from "../routes.js";
import { Sign, SignButton } from "../shell/sign.js";
import { moveToTrash } from "../trash/move-to-trash.js";
import { copyMarkdown } from "./copy-markdown.js";
import { copyText } from "./copy-text.js";
import { ExportDialog } from "./export-dialog.js";
import { keepMarks, MarksDialog } from "./marks-dialog.js";
import { isEverything, type SessionFilter } from "./session-filter.js";

interface SessionBarProps {
  readonly session: SessionAnswer;
  readonly route: SessionRoute;
  readonly filter: SessionFilter;
  readonly panel: "turns" | "insights";
  onFilter(filter: SessionFilter): void;
  onPanel(panel: "turns" | "insights"): void;
  onFind(): void;
  onOutline(): void;
}

/** What can be done with a session. */
export function SessionBar(props: SessionBarProps) {
  const { session, route, panel, onPanel, onFind, onOutline } = props;
  const { header, live } = session;
  const back = route.query === "" ? "/" : searchPath(route.query);
  return (
    <div class="session-bar" role="toolbar" aria-label="Session">
      <a class="sign-button to-list" href={back} aria-label="Back to the list">
        <Sign name="back" />
      </a>
      {live ? (
        <span class="live">
          <span class="live-dot" /> running
        </span>
      ) : null}
      <span class="bar-title" dir="auto">
        {neutralize(header.title)}
      </span>
      <FilterChoices {...props} />
      <BranchChoice session={session} route={route} />
      <SignButton
        name="chart"
        label="Context and time"
        isPressed={panel === "insights"}
        onClick={() => onPanel(panel === "turns" ? "insights" : "turns")}
      />
      <button
        type="button"
        class="sign-button"
        title="Find in this session (f)"
        aria-label="Find in this session"
        onClick={onFind}
      >
        <Icon name="search" />
      </button>
      <Actions session={session} />
      <button type="button" class="sign-button to-outline" title="Outline" aria-label="Outline" onClick={onOutline}>
        <Icon name="contents" />
      </button>
    </div>
  );
}

function FilterChoices({ session, filter, onFilter }: SessionBarProps) {
  const tools = [...new Set(session.turns.flatMap(({ calls }) => calls.map(({ name }) => name)))].toSorted();
  if (tools.length === 0) return null;
  const value = filter.isErrorsOnly ? "!errors" : filter.tool;
  return (
    <select
      class={isEverything(filter) ? "choice" : "choice chosen"}
      aria-label="What is shown"
      value={value}
      onChange={({ currentTarget }) =>
        onFilter(
          currentTarget.value === "!errors"
            ? { tool: "", isErrorsOnly: true }
            : { tool: currentTarget.value, isErrorsOnly: false },
        )
      }
    >
      <option value="">everything</option>
      <option value="!errors">only failures</option>
      {tools.map((name) => (
        <option key={name} value={name}>
          only {neutralize(name)}
        </option>
      ))}
    </select>
  );
}

/** Rewound branches are read like the session itself. */
function BranchChoice({ session: { branches }, route: { id, branch } }: Pick<SessionBarProps, "session" | "route">) {
  const dead = branches.dead.filter(({ leaf }) => leaf !== null);
  if (dead.length === 0) return null;
  return (
    <select
      class={branch === null ? "choice" : "choice chosen"}
      aria-label="Branch"
      value={branch ?? ""}
      onChange={({ currentTarget }) => navigate(sessionPath(id, { branch: currentTarget.value }))}
    >
      <option value="">active branch</option>
      {dead.map(({ leaf, turns, sharedTurns }) => (
        <option key={leaf} value={leaf ?? ""}>
          rewound{sharedTurns === null ? "" : ` after turn ${sharedTurns}`}, {formatCount(turns, "turn")}
        </option>
      ))}
    </select>
  );
}

function Actions({ session: { header, resumeCommand } }: Pick<SessionBarProps, "session">) {
  const [dialog, setDialog] = useState<"export" | "marks">();
  const { id, favourite } = header;
  return (
    <>
      <SignButton
        name="star"
        label={favourite ? "No longer a favourite" : "Favourite"}
        isPressed={favourite}
        onClick={() => void keepMarks(id, { favourite: !favourite })}
      />
      <SignButton name="edit" label="Title, tags, note" onClick={() => setDialog("marks")} />
      {resumeCommand === null ? null : (
        <SignButton
          name="play"
          label={`Copy the command that goes on: ${resumeCommand}`}
          onClick={() => void copyText(resumeCommand, "Command")}
        />
      )}
      <SignButton name="copy" label="Copy the session as Markdown" onClick={() => void copyMarkdown(id)} />
      <SignButton name="save" label="Export" onClick={() => setDialog("export")} />
      <SignButton
        name="trash"
        label="Move to trash"
        onClick={async () => {
          if (await moveToTrash([id])) navigate("/trash");
        }}
      />
      {dialog === "export" ? <ExportDialog id={id} onClose={() => setDialog(undefined)} /> : null}
      {dialog === "marks" ? <MarksDialog header={header} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
}
