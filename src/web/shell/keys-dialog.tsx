import { Dialog } from "./dialog.js";

const KEYS = [
  ["/", "search everything (also Ctrl-K)"],
  ["g s", "sessions"],
  ["g i", "insights"],
  ["g t", "trash"],
  ["j k", "next, previous turn; in the list, session"],
  ["x", "select in the list"],
  ["] [", "next, previous tool call"],
  ["e", "next failure"],
  ["f", "find in this session"],
  ["n N", "next, previous hit"],
  ["o", "open or close"],
  ["O", "open or close everything shown"],
  ["t", "open or close all thinking"],
  ["c", "copy a link to this place"],
  ["Home End", "first, last turn"],
  ["?", "these keys"],
] as const;

export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
