import { Hono } from "hono";
import * as z from "zod";
import type { Environment } from "../../app/settings.js";
import { type PreparedTraces, prepareTraces, previewTraces, sendTraces } from "../../app/trace/send-traces.js";
import { readTraceSettings } from "../../app/trace/trace-settings.js";
import { paintTraceTrees } from "../../app/trace/trace-tree.js";
import { createStyle } from "../../render/terminal/style.js";
import type { TraceAnswer, TracePreview } from "../api/trace.js";
import { readBody } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { commandLine } from "../views/command-line.js";

const TREE_CHARACTERS = 20_000;
const TREE_LAYOUT = { style: createStyle(false), columns: 200 };
const NOTHING = z.strictObject({});

/** Traces of one session, redacted, to the targets installed on the command line. */
export function traceRoutes(library: ServedLibrary, environment: Environment): Hono {
  const app = new Hono();

  async function prepare(id: string): Promise<PreparedTraces> {
    const { id: session } = await library.find(id);
    return prepareTraces({ ...library.rootOptions, session, redact: true }, environment);
  }

  app.get("/sessions/:id/trace", async (c) => {
    const id = c.req.param("id");
    const { targets } = await readTraceSettings(environment);
    const answer: TracePreview = {
      targets: targets.map(({ name, url }) => ({ name, url })),
      ...paintPreview(await prepare(id)),
      command: commandLine("trace send", [id]),
    };
    return c.json(answer);
  });

  app.post("/sessions/:id/trace", async (c) => {
    await readBody(c, NOTHING);
    const answer: TraceAnswer = await sendTraces(await prepare(c.req.param("id")), {}, environment);
    return c.json(answer);
  });

  return app;
}

/** Long previews are cut; turns beyond the cut are not read. */
function paintPreview(prepared: PreparedTraces): Pick<TracePreview, "tree" | "isCut"> {
  let tree = "";
  for (const text of paintTraceTrees(previewTraces(prepared), TREE_LAYOUT)) {
    tree += text;
    if (tree.length > TREE_CHARACTERS) return { tree: tree.slice(0, TREE_CHARACTERS), isCut: true };
  }
  return { tree, isCut: false };
}
