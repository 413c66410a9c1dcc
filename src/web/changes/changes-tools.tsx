import { useState } from "preact/hooks";
import type { ChangedFile } from "../../server/api/changes.js";
import type { TurnLinks } from "./turn-links.js";

/** How diffs are laid out; remembered. */
export interface DiffLook {
  readonly layout: "unified" | "split";
  readonly isWrapped: boolean;
}

const STORED = "turnlog-diff";

export function useDiffLook(): readonly [DiffLook, (look: DiffLook) => void] {
  const [look, setLook] = useState(readLook);
  const keep = (next: DiffLook) => {
    setLook(next);
    try {
      localStorage.setItem(STORED, `${next.layout} ${next.isWrapped ? "wrapped" : ""}`);
    } catch {
      // private windows may have no storage: then it is not remembered
    }
  };
  return [look, keep];
}

function readLook(): DiffLook {
  try {
    const [layout, wrapped] = (localStorage.getItem(STORED) ?? "").split(" ");
    return { layout: layout === "split" ? "split" : "unified", isWrapped: wrapped === "wrapped" };
  } catch {
    return { layout: "unified", isWrapped: false };
  }
}

interface ChangesToolsProps {
  readonly files: readonly ChangedFile[];
  readonly links: TurnLinks;
  readonly look: DiffLook;
  readonly turn: number | null;
  onLook(look: DiffLook): void;
  onTurn(turn: number | null): void;
}

export function ChangesTools({ files, links, look, turn, onLook, onTurn }: ChangesToolsProps) {
  const turns = [...new Set(files.flatMap(({ steps }) => steps.map((step) => step.turn)))].sort((a, b) => a - b);
  return (
    <div class="changes-tools">
      {turns.length > 1 ? (
        <select
          class={turn === null ? "choice" : "choice chosen"}
          aria-label="Changes of"
          value={turn ?? ""}
          onChange={({ currentTarget: { value } }) => onTurn(value === "" ? null : Number(value))}
        >
          <option value="">All turns</option>
          {turns.map((one) => (
            <option key={one} value={one}>
              Turn {one}: {links.promptOf(one).slice(0, 60)}
            </option>
          ))}
        </select>
      ) : null}
      <DiffLookTools look={look} onLook={onLook} />
    </div>
  );
}

function DiffLookTools({ look, onLook }: Pick<ChangesToolsProps, "look" | "onLook">) {
  const choice = (layout: DiffLook["layout"], label: string) => (
    <button type="button" aria-pressed={look.layout === layout} onClick={() => onLook({ ...look, layout })}>
      {label}
    </button>
  );
  return (
    <>
      <fieldset class="toggle" aria-label="Layout of diffs">
        {choice("unified", "Unified")}
        {choice("split", "Side by side")}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={look.isWrapped}
          onChange={() => onLook({ ...look, isWrapped: !look.isWrapped })}
        />
        Wrap lines
      </label>
    </>
  );
}
