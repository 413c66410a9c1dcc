import { useLayoutEffect, useRef } from "preact/hooks";
import { navigate, sessionPath } from "../router.js";
import { copyText } from "../shell/copy.js";

interface CreatedSessionProps {
  readonly created: { readonly id: string; readonly resume: string | null };
  onClose(): void;
}

/** How to go on with a session that was just written. */
export function CreatedSession({ created: { id, resume }, onClose }: CreatedSessionProps) {
  const open = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => open.current?.focus(), []);
  return (
    <>
      {resume === null ? null : (
        <div class="report">
          <p>To resume it in a terminal:</p>
          <p>
            <code>{resume}</code>
          </p>
        </div>
      )}
      <div class="dialog-actions">
        {resume === null ? null : (
          <button type="button" onClick={() => void copyText(resume, "Command")}>
            Copy command
          </button>
        )}
        <button
          ref={open}
          type="button"
          class="primary"
          onClick={() => {
            onClose();
            navigate(sessionPath(id));
          }}
        >
          Open
        </button>
      </div>
    </>
  );
}
