/** What a compaction left in the context word by word. */
export function Kept({ isKept }: { readonly isKept: boolean }) {
  return isKept ? <span class="kept">kept</span> : null;
}
