import { FOLD_KEYS, HELP_KEYS, KeyList, type KeyMeanings, TURN_KEYS } from "../../render/html/key-list.js";
import { Dialog } from "./dialog.js";

const KEYS: KeyMeanings = [
  ["/", "search everything (also Ctrl-K)"],
  ["g s", "sessions"],
  ["g i", "insights"],
  ["g t", "trash"],
  ["j k x", "in the list: next, previous, select"],
  ...TURN_KEYS,
  ["f", "find in this session"],
  ["n N", "next, previous hit"],
  ...FOLD_KEYS,
  ["Home End", "first, last turn"],
  ...HELP_KEYS,
];

export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={onClose}>
      <KeyList keys={KEYS} />
      <form method="dialog" class="dialog-actions">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
