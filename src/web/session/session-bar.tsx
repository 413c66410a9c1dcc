import { useMemo } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import { neutralize } from "../../render/neutralize.js";
import type { SessionAnswer } from "../../server/api/session.js";
import type { WantedEdit } from "../edit/edit-dialog.js";
import { listPath } from "../list/list-filter.js";
import { navigate } from "../router.js";
import { comparePath, type SessionRoute, searchPath, sessionPath } from "../routes.js";
import { Sign, SignButton } from "../shell/sign.js";
import { SessionActions } from "./session-actions.js";
import { EVERYTHING, isEverything, type SessionFilter } from "./session-filter.js";
import type { OutlineDrawer } from "./use-outline-drawer.js";

interface SessionBarProps {
  readonly session: SessionAnswer;
  readonly route: SessionRoute;
  readonly filter: SessionFilter;
  readonly panel: "turns" | "insights";
  onFilter(filter: SessionFilter): void;
  onPanel(panel: "turns" | "insights"): void;
  readonly wantedEdit: WantedEdit | undefined;
  onEdit(edit: WantedEdit | undefined): void;
  readonly outline: OutlineDrawer;
  onFind(): void;
}

/** What can be done with a session. */
export function SessionBar(props: SessionBarProps) {
  const { session, route, panel, wantedEdit, onPanel, onFind, outline, onEdit } = props;
  return (
    <div class="session-bar" role="toolbar" aria-label="Session">
      <BarTitle session={session} route={route} />
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
      <SessionActions session={session} branch={route.branch} wanted={wantedEdit} onEdit={onEdit} />
      <button
        type="button"
        class="sign-button to-outline"
        title="Outline"
        aria-label="Outline"
        aria-expanded={outline.isOpen}
        onClick={outline.toggle}
      >
        <Icon name="contents" />
      </button>
    </div>
  );
}

function BarTitle({ session: { header, live }, route: { query } }: Pick<SessionBarProps, "session" | "route">) {
  const [back, place] = query === "" ? [listPath(), "Sessions"] : [searchPath(query), "Search"];
  return (
    <div class="bar-lead">
      <a class="sign-button to-list" href={back} aria-label={`Back to ${place}`}>
        <Sign name="back" />
        <span>{place}</span>
      </a>
      {live ? (
        <span class="live">
          <span class="live-dot" /> running
        </span>
      ) : null}
      <h1 class="bar-title" dir="auto">
        {neutralize(header.title)}
      </h1>
    </div>
  );
}

function FilterChoices({ session, filter, onFilter }: SessionBarProps) {
  const tools = useMemo(() => toolsOf(session), [session.turns]);
  if (filter.file) return <FileChip file={filter.file} onClose={() => onFilter(EVERYTHING)} />;
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
            ? { ...EVERYTHING, isErrorsOnly: true }
            : { ...EVERYTHING, tool: currentTarget.value },
        )
      }
    >
      <option value="">Everything</option>
      <option value="!errors">Only failures</option>
      {tools.map((name) => (
        <option key={name} value={name}>
          Only {neutralize(name)}
        </option>
      ))}
    </select>
  );
}

function toolsOf({ turns }: SessionAnswer): string[] {
  const names = new Set<string>();
  for (const { calls } of turns) for (const { name } of calls) names.add(name);
  return [...names].toSorted();
}

interface FileChipProps {
  readonly file: NonNullable<SessionFilter["file"]>;
  onClose(): void;
}

function FileChip({ file, onClose }: FileChipProps) {
  return (
    <button type="button" class="chip" title={neutralize(file.path)} onClick={onClose}>
      Only turns with {neutralize(file.name)} <Sign name="close" />
      <span class="out-of-sight">show all turns</span>
    </button>
  );
}

/** Rewound branches are read like the session itself. */
function BranchChoice({ session: { branches }, route: { id, branch } }: Pick<SessionBarProps, "session" | "route">) {
  const dead = branches.dead.filter(({ leaf }) => leaf !== null);
  if (dead.length === 0) return null;
  const other = branch ?? dead[0]?.leaf ?? null;
  return (
    <>
      <select
        class={branch === null ? "choice" : "choice chosen"}
        aria-label="Branch"
        value={branch ?? ""}
        onChange={({ currentTarget }) => navigate(sessionPath(id, { branch: currentTarget.value }))}
      >
        <option value="">Active branch</option>
        {dead.map(({ leaf, turns, sharedTurns }) => (
          <option key={leaf} value={leaf ?? ""}>
            Rewound{sharedTurns === null ? "" : ` after turn ${sharedTurns}`}, {formatCount(turns, "turn")}
          </option>
        ))}
      </select>
      <a
        class="sign-button"
        href={comparePath({ a: id, b: id, branchA: null, branchB: other })}
        title="Compare the branches"
        aria-label="Compare the branches"
      >
        <Icon name="fork" />
      </a>
    </>
  );
}
