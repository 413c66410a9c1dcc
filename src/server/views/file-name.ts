import { exportRedactor } from "../../app/redaction.js";
import type { Environment } from "../../app/settings.js";
import type { ServedLibrary } from "../library/served-library.js";

const LONGEST_NAME = 60;
const ID_CHARACTERS = 8;

/** `fix-the-flaky-test-611dbd00.html`: a file is looked for by what it is about. Its name is always redacted. */
export async function fileNameOf(
  library: Pick<ServedLibrary, "find">,
  id: string,
  ending: string,
  io: Environment,
): Promise<string> {
  const session = await library.find(id);
  const title = "title" in session ? (await exportRedactor({}, io)).text(session.title, "title") : "";
  const plain = title
    .replace(/\[REDACTED:[^\]]*\]/g, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();
  const words = (plain.match(/[a-z0-9]+/g) ?? []).join("-").slice(0, LONGEST_NAME).replace(/-$/, "");
  const short = id.replace(/[^\w-]/g, "_").slice(0, ID_CHARACTERS);
  return `${words === "" ? "session" : words}-${short}.${ending}`;
}
