import { FOLD_KEYS, HELP_KEYS, KeyList, type KeyMeanings, TURN_KEYS } from "../../render/html/components/key-list.js";
import { Dialog } from "./dialog.js";

const KEYS: readonly (readonly [place: string, keys: KeyMeanings])[] = [
  [
    "Everywhere",
    [
      ["/", "search, or go to anything (also Ctrl-K)"],
      ["g n", "now: running sessions"],
      ["g s", "sessions"],
      ["g i", "insights"],
      ["g t", "trash"],
      ["l", "hide or show the list beside a session"],
      ...HELP_KEYS,
    ],
  ],
  [
    "In the list",
    [
      ["j k", "next, previous session"],
      ["x", "select"],
    ],
  ],
  [
    "In a session",
    [
      ...TURN_KEYS,
      ["Home End", "first, last turn"],
      ["f", "find in this session"],
      ["n N", "next, previous hit"],
      ...FOLD_KEYS,
    ],
  ],
];

export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {KEYS.map(([place, keys]) => (
        <section key={place} class="keys">
          <h3>{place}</h3>
          <KeyList keys={keys} />
        </section>
      ))}
      <form method="dialog" class="dialog-actions">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
