import { showStatus } from "../../render/html/page-script/page-elements.js";

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showStatus(`${what} copied`);
  } catch {
    showStatus("The browser does not allow copying");
  }
}
