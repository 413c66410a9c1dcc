import { say } from "../../render/html/page-script/say.js";
import { postForFile } from "../api.js";
import { toApiError } from "../use-answer.js";
import { copyText } from "./copy-text.js";

/** As the export writes it: redacted. */
export async function copyMarkdown(id: string): Promise<void> {
  try {
    const file = await postForFile(`/api/sessions/${encodeURIComponent(id)}/export`, { format: "md" });
    await copyText(await file.text(), "Session");
  } catch (error) {
    say(toApiError(error).message);
  }
}
