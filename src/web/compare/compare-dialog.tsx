import { useState } from "preact/hooks";
import { formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { SessionsAnswer } from "../../server/api/list.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { projectName } from "../labels.js";
import { comparePath, navigate } from "../router.js";
import { Dialog } from "../shell/dialog.js";
import { LoadingState, Refusal } from "../shell/states.js";

interface CompareDialogProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  onClose(): void;
}

const SHOWN = 30;

/** Chooses the session or branch to compare with. */
export function CompareDialog({ session: { header, branches }, branch, onClose }: CompareDialogProps) {
  const [words, setWords] = useState(projectName(header.project));
  const fields = new URLSearchParams({ q: words, limit: String(SHOWN) });
  const { answer, failure } = useAnswer<SessionsAnswer>(`/api/sessions?${fields}`);
  const go = (b: string, branchB: string | null) => {
    onClose();
    navigate(comparePath({ a: header.id, b, branchA: branch, branchB }));
  };
  const leaves = [null, ...branches.dead.map(({ leaf }) => leaf)].filter((leaf) => leaf !== branch);
  const others = answer?.sessions.filter(({ id }) => id !== header.id) ?? [];
  return (
    <Dialog title="Compare with" onClose={onClose}>
      {branches.dead.length === 0 ? null : (
        <ul class="choose" aria-label="Branches of this session">
          {leaves.map((leaf) => (
            <li key={leaf}>
              <button type="button" onClick={() => go(header.id, leaf)}>
                <span class="name">{leaf === null ? "The active branch" : "A rewound branch"}</span>
                <span class="quiet">{branchWords(branches.dead, leaf)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="field">
        Another session
        <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
      </label>
      {failure ? <Refusal problem={failure} /> : answer ? null : <LoadingState />}
      <ul class="choose" aria-label="Sessions">
        {others.map(({ id, title, project, endedAt, turns }) => (
          <li key={id}>
            <button type="button" onClick={() => go(id, null)}>
              <span class="name">{neutralize(title)}</span>
              <span class="quiet">
                {neutralize(projectName(project))} · {formatCount(turns, "turn")} · {formatTime(endedAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

function branchWords(dead: SessionAnswer["branches"]["dead"], leaf: string | null): string {
  const branch = dead.find((one) => one.leaf === leaf);
  if (!branch) return "";
  const { sharedTurns, turns } = branch;
  return `${sharedTurns === null ? "" : `after turn ${sharedTurns}, `}${formatCount(turns, "turn")}`;
}
