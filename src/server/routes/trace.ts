import { Hono } from "hono";
import * as z from "zod";
import type { Io } from "../../app/io.js";
import { sendTraces } from "../../app/trace/send-traces.js";
import { readTraceSettings } from "../../app/trace/trace-settings.js";
import type { TraceAnswer, TracePreview } from "../api/trace.js";
import { readBody } from "../http/read-request.js";
import type { ServedLibrary } from "../library/served-library.js";
import { commandLine } from "../views/command-line.js";

const TREE_CHARACTERS = 20_000;
const NOTHING = z.strictObject({});

/** Traces of one session, redacted, to the targets that were set up on the command line. */
export function traceRoutes(library: ServedLibrary, io: Io): Hono {
  const app = new Hono();

  /** What the command prints. */
  async function send(id: string, options: { readonly dryRun?: boolean; readonly json?: boolean }): Promise<string> {
    const { id: known } = await library.find(id);
    const printed: string[] = [];
    const quiet: Io = { ...io, isTerminal: false, stdout: (text) => void printed.push(String(text)), stderr: () => {} };
    await sendTraces(known, { ...library.rootOptions, ...options, redact: true }, quiet);
    return printed.join("");
  }

  app.get("/sessions/:id/trace", async (c) => {
    const id = c.req.param("id");
    const tree = await send(id, { dryRun: true });
    const { targets } = await readTraceSettings(io);
    const answer: TracePreview = {
      targets: targets.map(({ name, url }) => ({ name, url })),
      tree: tree.slice(0, TREE_CHARACTERS),
      isCut: tree.length > TREE_CHARACTERS,
      command: commandLine("trace send", [id]),
    };
    return c.json(answer);
  });

  app.post("/sessions/:id/trace", async (c) => {
    await readBody(c, NOTHING);
    return c.json(JSON.parse(await send(c.req.param("id"), { json: true })) as TraceAnswer);
  });

  return app;
}
