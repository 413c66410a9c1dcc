import { formatCount } from "../../render/format-values.js";
import { comparePath } from "../routes.js";
import { moveToTrash } from "../trash/move-to-trash.js";

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>;
  onDone(): void;
}

/** What can be done with several sessions at once. */
export function SelectionBar({ selected, onDone }: SelectionBarProps) {
  const [first, second] = selected;
  if (selected.size === 0) return null;
  return (
    <div class="selection" role="toolbar" aria-label="Selected sessions">
      <span>{formatCount(selected.size, "session")}</span>
      <button type="button" class="link" onClick={onDone}>
        Deselect
      </button>
      <div class="selection-actions">
        {first !== undefined && second !== undefined && selected.size === 2 ? (
          <a class="button" href={comparePath({ a: first, b: second, branchA: null, branchB: null })}>
            Compare
          </a>
        ) : null}
        <button
          type="button"
          class="button"
          onClick={async () => {
            if (await moveToTrash([...selected])) onDone();
          }}
        >
          Move to trash
        </button>
      </div>
    </div>
  );
}
