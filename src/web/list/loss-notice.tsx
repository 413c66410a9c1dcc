import { useState } from "preact/hooks";
import { formatCount, formatTime } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import type { ArchiveAnswer } from "../../server/api/archive.js";
import { change, toApiError, useAnswer } from "../api.js";

/** Says which sessions Claude Code deletes soon, with what keeps them. */
export function LossNotice() {
  const { answer, reload } = useAnswer<ArchiveAnswer>("/api/archive");
  const [isBusy, setBusy] = useState(false);
  const loss = answer?.loss;
  if (!loss) return null;
  const turnOn = async () => {
    setBusy(true);
    try {
      await change<ArchiveAnswer>("/api/archive", { enabled: true });
      showStatus("The archive is on");
      reload();
    } catch (error) {
      showStatus(toApiError(error).message);
    } finally {
      setBusy(false);
    }
  };
  const count = `${loss.isAtLeast ? "at least " : ""}${formatCount(loss.sessions, "session")}`;
  return (
    <p class="loss-notice">
      <span title={`The first from ${formatTime(loss.firstAt)} on`}>Claude Code deletes {count} within 7 days.</span>{" "}
      <button type="button" class="link" disabled={isBusy} onClick={turnOn}>
        {isBusy ? "Copying …" : "Keep copies"}
      </button>
    </p>
  );
}
