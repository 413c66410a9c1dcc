import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import { IconButton } from "./controls.js";

/** The command that does the same in a terminal. */
export function SameCommand({ command }: { readonly command: string }) {
  return (
    <div class="same-command">
      <p class="quiet">Command</p>
      <IconButton name="copy" label="Copy command" onClick={() => void copyText(command, "Command")} />
      <code>
        {neutralize(command)
          .split(" ")
          .flatMap((word, index) => [index > 0 ? " " : "", <span key={index}>{word}</span>])}
      </code>
    </div>
  );
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showStatus(`${what} copied`);
  } catch {
    showStatus("The browser does not allow copying");
  }
}
