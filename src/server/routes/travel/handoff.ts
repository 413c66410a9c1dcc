import { Hono } from "hono";
import * as z from "zod";
import { parseTurnRange } from "../../../app/choose-view.js";
import { parseNumber } from "../../../app/edit/edit-flags.js";
import { type Handoff, handoffRedactor, startFromBrief, writeHandoff } from "../../../app/edit/handoff.js";
import type { Environment } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import type { FoundSession } from "../../../library/found-session.js";
import type { RedactionReport } from "../../../redact/tally.js";
import { neutralize } from "../../../render/safe-text.js";
import type { HandoffPreview, HandoffRequest, ResumableAnswer } from "../../api/travel.js";
import { readBody } from "../../http/read-request.js";
import { skipIfAborted, toRefused } from "../../http/send-answer.js";
import type { ServedLibrary } from "../../library/served-library.js";
import { commandLine } from "../../views/command-line.js";
import { fileNameOf } from "../../views/file-name.js";

const text = z.string().max(40).optional();
const HANDOFF: z.ZodType<HandoffRequest> = z.strictObject({
  as: z.enum(["text", "session"]),
  turns: text,
  maxTokens: text,
  redact: z.boolean().optional(),
});
const USUAL_TOKENS = "2000";

/** Hands a session on, as a text or as a new session, as `turnlog handoff` does. */
export function handoffRoutes(library: ServedLibrary, io: Environment): Hono {
  const app = new Hono();

  app.post("/sessions/:id/handoff/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, HANDOFF);
    const id = c.req.param("id");
    const found = await library.locate(id);
    try {
      const { handoff, report } = await prepare(found, wanted);
      const { markdown, tokens, leftOut } = handoff.brief;
      return c.json({
        markdown: neutralize(markdown),
        tokens,
        leftOut,
        report,
        fileName: await fileNameOf(library, id, "handoff.md", io),
        commandLine: lineFor(id, wanted),
      } satisfies HandoffPreview);
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.post("/sessions/:id/handoff", async (c) => {
    const wanted = await readBody(c, HANDOFF);
    const found = await library.locate(c.req.param("id"));
    if (library.isDemo) throw new UserError("usage", "cannot write into the demo", "copy the text instead");
    const { handoff } = await prepare(found, { ...wanted, as: "session" });
    const { id, resume } = await startFromBrief(found, handoff, io);
    library.sync.ignoreOwnWrites(id);
    await library.sync.refresh();
    return c.json({ id, resume } satisfies ResumableAnswer);
  });

  async function prepare(found: FoundSession, wanted: HandoffRequest): Promise<Prepared> {
    const redactor = await handoffRedactor(wanted.as, { redact: wanted.redact ?? true }, io);
    const clean = (part: string) => redactor?.text(part, "brief") ?? part;
    const maxTokens = parseNumber(wanted.maxTokens || USUAL_TOKENS, "--max-tokens", "4000");
    const options = { range: parseTurnRange(wanted.turns || undefined), maxTokens, clean };
    const handoff = writeHandoff(found, options, await library.loadOptions());
    return { handoff, report: redactor?.report() ?? null };
  }

  return app;
}

interface Prepared {
  readonly handoff: Handoff;
  readonly report: RedactionReport | null;
}

function lineFor(id: string, { as, turns, maxTokens, redact = true }: HandoffRequest): string {
  return commandLine("handoff", [id], {
    ...(turns ? { turns } : {}),
    ...(maxTokens ? { maxTokens } : {}),
    ...(redact ? {} : { noRedact: true as const }),
    ...(as === "session" ? { start: true as const } : {}),
  });
}
