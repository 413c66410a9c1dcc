import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { Icon } from "../../render/html/components/icon.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { postForFile, toApiError } from "../api.js";
import { CompareDialog } from "../compare/compare-dialog.js";
import { EditDialog, type WantedEdit } from "../edit/edit-dialog.js";
import { listPath } from "../list/list-filter.js";
import { comparePath, navigate, type SessionRoute, searchPath, sessionPath } from "../router.js";
import { type Action, useActions } from "../shell/actions.js";
import { IconButton, Menu, MenuItem, UiIcon } from "../shell/controls.js";
import { copyText } from "../shell/copy.js";
import { moveToTrash } from "../trash/trash-view.js";
import { openTravel } from "../travel/wanted-dialog.js";
import { ExportDialog } from "./export-dialog.js";
import { keepMarks, MarksDialog } from "./marks-dialog.js";
import type { OutlineDrawer } from "./outline.js";
import { TraceDialog } from "./trace-dialog.js";
import { EVERYTHING, isEverything, type TurnFilter } from "./visible-parts.js";

interface SessionBarProps {
  readonly session: SessionAnswer;
  readonly route: SessionRoute;
  readonly filter: TurnFilter;
  /** The turn that is read. */
  readonly current: number;
  onFilter(filter: TurnFilter): void;
  readonly wantedEdit: WantedEdit | undefined;
  onEdit(edit: WantedEdit | undefined): void;
  readonly outline: OutlineDrawer;
  onFind(): void;
}

/** Title, filters and actions of a session. */
export function SessionBar(props: SessionBarProps) {
  const { session, route, wantedEdit, onFind, outline, onEdit } = props;
  return (
    <div class="session-bar" role="toolbar" aria-label="Session">
      <BarTitle session={session} route={route} />
      <ViewLinks {...props} />
      {route.view === "changes" ? null : <FilterChoices {...props} />}
      <BranchChoice session={session} route={route} />
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
        <UiIcon name="back" />
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

const VIEWS = [
  ["text", "Text"],
  ["timeline", "Timeline"],
  ["changes", "Changes"],
] as const;

/** Leads from one view of the session to another, at the turn that is read. */
function ViewLinks({ route: { id, branch, query, view }, current }: Pick<SessionBarProps, "route" | "current">) {
  const place = { branch, query, turn: current > 1 ? current : null };
  return (
    <nav class="toggle session-views" aria-label="Views of the session">
      {VIEWS.map(([name, label]) => (
        <a
          key={name}
          href={sessionPath(id, { ...place, view: name })}
          {...(view === name ? { "aria-current": "page" as const } : {})}
        >
          {label}
        </a>
      ))}
    </nav>
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
      aria-label="Filter turns"
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
  readonly file: NonNullable<TurnFilter["file"]>;
  onClose(): void;
}

function FileChip({ file, onClose }: FileChipProps) {
  return (
    <button type="button" class="chip" title={neutralize(file.path)} onClick={onClose}>
      Only turns with {neutralize(file.name)} <UiIcon name="close" />
      <span class="out-of-sight">show all turns</span>
    </button>
  );
}

function BranchChoice({
  session: { branches },
  route: { id, branch, view },
}: Pick<SessionBarProps, "session" | "route">) {
  const dead = branches.dead.filter(({ leaf }) => leaf !== null);
  if (dead.length === 0) return null;
  const other = branch ?? dead[0]?.leaf ?? null;
  return (
    <>
      <select
        class={branch === null ? "choice" : "choice chosen"}
        aria-label="Branch"
        value={branch ?? ""}
        onChange={({ currentTarget }) => navigate(sessionPath(id, { branch: currentTarget.value, view }))}
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
        title="Compare branches"
        aria-label="Compare branches"
      >
        <Icon name="fork" />
      </a>
    </>
  );
}

interface SessionActionsProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  readonly wanted: WantedEdit | undefined;
  onEdit(edit: WantedEdit | undefined): void;
}

/** The most used actions as buttons, the others in a menu. */
function SessionActions({ session, branch, wanted, onEdit }: SessionActionsProps) {
  const [dialog, setDialog] = useState<SessionDialog>();
  const { header, resumeCommand, turns } = session;
  const { id, favourite } = header;
  const close = () => setDialog(undefined);
  const menu = menuOf(session, branch, setDialog, onEdit);
  useActions("This session", [
    { label: "Export …", words: "turnlog export", run: () => setDialog("export") },
    ...menu.flat(),
  ]);
  return (
    <>
      <IconButton
        name="star"
        label={favourite ? "Remove from favourites" : "Add to favourites"}
        isPressed={favourite}
        onClick={() => void keepMarks(id, { favourite: !favourite })}
      />
      {resumeCommand === null ? null : (
        <IconButton
          name="play"
          label={`Copy the command that resumes it: ${neutralize(resumeCommand)}`}
          onClick={() => void copyText(resumeCommand, "Command")}
        />
      )}
      <IconButton name="save" label="Export" onClick={() => setDialog("export")} />
      <Menu label="More">
        {menu.map((actions, at) => (
          <Fragment key={actions[0]?.label}>
            {at === 0 ? null : <hr />}
            {actions.map(({ label, run }) => (
              <MenuItem key={label} label={label} onClick={run} />
            ))}
          </Fragment>
        ))}
      </Menu>
      {dialog === "export" ? <ExportDialog id={id} onClose={close} /> : null}
      {dialog === "marks" ? <MarksDialog header={header} onClose={close} /> : null}
      {dialog === "trace" ? <TraceDialog id={id} onClose={close} /> : null}
      {dialog === "compare" ? <CompareDialog session={session} branch={branch} onClose={close} /> : null}
      {wanted ? <EditDialog id={id} wanted={wanted} turns={turns.length} onClose={() => onEdit(undefined)} /> : null}
    </>
  );
}

type SessionDialog = "export" | "marks" | "trace" | "compare";

/** What can be done with a session, in groups; the box offers the same. */
function menuOf(
  { header: { id, project }, turns, compactions }: SessionAnswer,
  branch: string | null,
  open: (dialog: SessionDialog) => void,
  edit: (wanted: WantedEdit) => void,
): readonly (readonly Action[])[] {
  const toEdit = (label: string, command: WantedEdit["command"], flags: WantedEdit["flags"] = {}): Action => ({
    label,
    words: `turnlog ${command}`,
    run: () => edit({ command, flags }),
  });
  return [
    [
      { label: "Title, tags, note …", words: "turnlog title tag note", run: () => open("marks") },
      { label: "Copy as Markdown", run: () => void copyMarkdown(id) },
      { label: "Compare with …", words: "turnlog diff", run: () => open("compare") },
    ],
    [
      toEdit("Clone …", "clone"),
      toEdit("Fork …", "fork", forkFlags(branch, turns.length)),
      toEdit("Prune …", "prune", { preset: "normal" }),
      toEdit("Compress …", "compress"),
      ...(compactions.length === 0 ? [] : [toEdit("Undo compaction …", "uncompact")]),
      toEdit("Copy without secrets …", "redact"),
      toEdit("Repair …", "repair"),
    ],
    [
      {
        label: "Hand off …",
        words: "turnlog handoff",
        run: () => openTravel({ kind: "handoff", id, turns: turns.length }),
      },
      { label: "Bundle …", words: "turnlog bundle", run: () => openTravel({ kind: "bundle", ids: [id] }) },
      {
        label: "Move to another project …",
        words: "turnlog move",
        run: () => openTravel({ kind: "move", id, project }),
      },
    ],
    [
      { label: "Send traces …", words: "turnlog trace send", run: () => open("trace") },
      { label: "Move to trash", words: "turnlog delete", run: () => void trashIt(id) },
    ],
  ];
}

async function trashIt(id: string): Promise<void> {
  if (await moveToTrash([id])) navigate("/trash");
}

/** A rewound branch is forked as a whole. */
function forkFlags(branch: string | null, turns: number): WantedEdit["flags"] {
  return branch === null ? { at: String(turns) } : { branch };
}

/** Redacted, like an export. */
async function copyMarkdown(id: string): Promise<void> {
  try {
    const file = await postForFile(`/api/sessions/${encodeURIComponent(id)}/export`, { format: "md" });
    await copyText(await file.text(), "Session");
  } catch (error) {
    showStatus(toApiError(error).message);
  }
}
