import { formatCount, formatNumber } from "../../render/format-values.js";
import { useIndexState } from "../server-events.js";

/** How far the index is, while it is built. */
export function IndexProgress() {
  const index = useIndexState();
  if (index?.state !== "syncing" || index.files === 0) return null;
  return (
    <p class="indexing" role="status">
      <progress max={Math.max(1, index.bytes)} value={index.bytesDone} aria-label="Indexing" /> indexing{" "}
      {formatNumber(index.filesDone)} of {formatCount(index.files, "file")}
    </p>
  );
}
