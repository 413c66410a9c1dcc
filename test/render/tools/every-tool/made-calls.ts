import { madeCall } from "../made-call.js";
import type { RecordedCall } from "../recorded-calls.js";
import { FILE_EXAMPLES } from "./file-examples.js";
import { SHELL_EXAMPLES } from "./shell-examples.js";
import { TALK_EXAMPLES } from "./talk-examples.js";
import { WEB_EXAMPLES } from "./web-examples.js";

/** Calls of tools, and ways for them to end, that no recorded session has. */
export function madeCalls(): RecordedCall[] {
  return [...FILE_EXAMPLES, ...SHELL_EXAMPLES, ...TALK_EXAMPLES, ...WEB_EXAMPLES].map(
    ({ name, input, ...cameBack }, index) => ({
      file: "made by hand",
      call: madeCall(name, input, { ...cameBack, id: `made_${index + 1}` }),
    }),
  );
}
