import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import * as z from "zod";
import { EXPORT_FORMATS, parseFormat } from "../../app/export/export-formats.js";
import { exportPieces } from "../../app/export/export-session.js";
import type { Pieces } from "../../app/output-file.js";
import { exportRedactor } from "../../app/redaction.js";
import { quoteForShell } from "../../app/resume-command.js";
import type { Environment } from "../../app/settings.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { ExportPreview, ExportRequest } from "../api/export.js";
import { type Download, download } from "../http/download.js";
import { readBody, readQuery } from "../http/read-request.js";
import { skipIfAborted, toRefused } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";
import { fileNameOf } from "../views/file-name.js";

const EXPORT: z.ZodType<ExportRequest> = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  redact: z.boolean().optional(),
  emails: z.boolean().optional(),
});

export function exportRoutes(library: ServedLibrary, io: Environment, closing: AbortSignal): Hono {
  const app = new Hono();

  async function prepare(id: string, { format, redact = true, emails = false }: ExportRequest): Promise<Prepared> {
    const found = await library.locate(id);
    const notes: string[] = [];
    const options = { redact, ...(emails ? { redactEmails: true } : {}) };
    const redactor = redact ? await exportRedactor(options, io) : undefined;
    const name = await fileNameOf(library, id, format === "api" ? "api.json" : format, io);
    const pieces = await exportPieces(found, {
      format: parseFormat(format),
      options: { thinking: true },
      redactor,
      settings: await library.loadOptions(),
      output: name,
      environment: io,
      onNote: (note) => notes.push(note),
      signal: closing,
    });
    return { fileName: name, pieces, redactor, notes };
  }

  app.post("/sessions/:id/export/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, EXPORT);
    const id = c.req.param("id");
    const { fileName: name, pieces, redactor, notes } = await prepare(id, wanted);
    try {
      const sizeBytes = await measure(pieces, c.req.raw.signal);
      const report = redactor?.report() ?? null;
      return c.json({
        fileName: name,
        sizeBytes,
        report,
        notes,
        command: commandFor(id, wanted, name),
      } satisfies ExportPreview);
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  /** Only POST can export without redaction: it needs the change token. */
  app.post("/sessions/:id/export", async (c) => download(await prepare(c.req.param("id"), await readBody(c, EXPORT))));

  app.get("/sessions/:id/export", async (c) => {
    const query = readQuery(c);
    const format = query.text("format") ?? "";
    return download(await prepare(c.req.param("id"), { format, emails: query.flag("emails") }));
  });

  return app;
}

/** Stops when the client has aborted the request. */
async function measure(pieces: Pieces, waiting: AbortSignal): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of pieces) {
    sizeBytes += Buffer.byteLength(piece);
    await nextTurn();
    if (waiting.aborted) break;
  }
  return sizeBytes;
}

interface Prepared extends Download {
  readonly redactor: Redactor | undefined;
  readonly notes: readonly string[];
}

function commandFor(id: string, { format, redact = true, emails = false }: ExportRequest, name: string): string {
  const options = [redact ? "" : " --no-redact", emails ? " --redact-emails" : ""].join("");
  return `turnlog export ${quoteForShell(id)} --format ${format}${options} -o ${quoteForShell(name)}`;
}
