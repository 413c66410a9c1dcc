import { say } from "../../render/html/page-script/say.js";

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say("The browser does not let the page copy");
  }
}
