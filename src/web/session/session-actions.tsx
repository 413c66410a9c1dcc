import { useState } from "preact/hooks";
import { neutralize } from "../../render/neutralize.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { CompareDialog } from "../compare/compare-dialog.js";
import { EditDialog, type WantedEdit } from "../edit/edit-dialog.js";
import { navigate } from "../router.js";
import { Menu, MenuItem } from "../shell/menu.js";
import { SignButton } from "../shell/sign.js";
import { moveToTrash } from "../trash/move-to-trash.js";
import { copyMarkdown } from "./copy-markdown.js";
import { copyText } from "./copy-text.js";
import { ExportDialog } from "./export-dialog.js";
import { keepMarks, MarksDialog } from "./marks-dialog.js";
import { TraceDialog } from "./trace-dialog.js";

interface SessionActionsProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  readonly wanted: WantedEdit | undefined;
  onEdit(edit: WantedEdit | undefined): void;
}

/** The few that are used daily as signs, all others in a list. */
export function SessionActions({ session, branch, wanted, onEdit }: SessionActionsProps) {
  const [dialog, setDialog] = useState<"export" | "marks" | "trace" | "compare">();
  const { header, resumeCommand, turns } = session;
  const { id, favourite } = header;
  const close = () => setDialog(undefined);
  return (
    <>
      <SignButton
        name="star"
        label={favourite ? "No longer a favourite" : "Favourite"}
        isPressed={favourite}
        onClick={() => void keepMarks(id, { favourite: !favourite })}
      />
      {resumeCommand === null ? null : (
        <SignButton
          name="play"
          label={`Copy the command to continue: ${neutralize(resumeCommand)}`}
          onClick={() => void copyText(resumeCommand, "Command")}
        />
      )}
      <SignButton name="save" label="Export" onClick={() => setDialog("export")} />
      <Menu label="More">
        <MenuItem label="Title, tags, note …" onClick={() => setDialog("marks")} />
        <MenuItem label="Copy as Markdown" onClick={() => void copyMarkdown(id)} />
        <MenuItem label="Compare with …" onClick={() => setDialog("compare")} />
        <hr />
        <MenuItem label="Clone …" onClick={() => onEdit({ command: "clone", flags: {} })} />
        <MenuItem label="Fork …" onClick={() => onEdit({ command: "fork", flags: forkFlags(branch, turns.length) })} />
        <MenuItem label="Prune …" onClick={() => onEdit({ command: "prune", flags: { preset: "normal" } })} />
        <MenuItem label="Condense …" onClick={() => onEdit({ command: "compress", flags: {} })} />
        <MenuItem label="Copy without secrets …" onClick={() => onEdit({ command: "redact", flags: {} })} />
        <MenuItem label="Repair …" onClick={() => onEdit({ command: "repair", flags: {} })} />
        <hr />
        <MenuItem label="Send to trace …" onClick={() => setDialog("trace")} />
        <MenuItem
          label="Move to trash"
          onClick={async () => {
            if (await moveToTrash([id])) navigate("/trash");
          }}
        />
      </Menu>
      {dialog === "export" ? <ExportDialog id={id} onClose={close} /> : null}
      {dialog === "marks" ? <MarksDialog header={header} onClose={close} /> : null}
      {dialog === "trace" ? <TraceDialog id={id} onClose={close} /> : null}
      {dialog === "compare" ? <CompareDialog session={session} branch={branch} onClose={close} /> : null}
      {wanted ? <EditDialog id={id} wanted={wanted} turns={turns.length} onClose={() => onEdit(undefined)} /> : null}
    </>
  );
}

/** A rewound branch becomes a session of its own. */
function forkFlags(branch: string | null, turns: number): WantedEdit["flags"] {
  return branch === null ? { at: String(turns) } : { branch };
}
