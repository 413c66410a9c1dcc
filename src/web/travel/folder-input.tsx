import { useId } from "preact/hooks";
import type { FacetsAnswer } from "../../server/api/list.js";
import { useAnswer } from "../api.js";

interface FolderInputProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly isWarning?: boolean;
  onInput(folder: string): void;
}

/** The path of a folder on the machine that turnlog runs on; known projects are offered. */
export function FolderInput({ label, value, note = "", isWarning = false, onInput }: FolderInputProps) {
  const [listId, noteId] = [useId(), useId()];
  const { answer: facets } = useAnswer<FacetsAnswer>("/api/facets");
  return (
    <div class="field">
      <label class="field">
        {label}
        <input
          list={listId}
          placeholder="~/work/shop"
          spellcheck={false}
          autocomplete="off"
          aria-describedby={noteId}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </label>
      <datalist id={listId}>
        {facets?.projects.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span id={noteId} class={isWarning ? "warned" : "quiet"}>
        {note}
      </span>
    </div>
  );
}
