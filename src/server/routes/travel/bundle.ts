import { createReadStream } from "node:fs";
import { Hono } from "hono";
import * as z from "zod";
import { exportRedactor } from "../../../app/redaction.js";
import type { Environment } from "../../../app/settings.js";
import { type BundleDraft, type BundledReport, bundleToDraft } from "../../../app/travel/bundle-sessions.js";
import { Passphrase } from "../../../store/sealed-file.js";
import type { BundlePreview, BundleRequest } from "../../api/travel.js";
import { download } from "../../http/download.js";
import { readBody } from "../../http/read-request.js";
import { skipIfAborted, toRefused } from "../../http/send-answer.js";
import type { ServedLibrary } from "../../library/served-library.js";
import { commandLine } from "../../views/command-line.js";
import { fileNameOf } from "../../views/file-name.js";

const MAX_SESSIONS = 500;
const BUNDLE: z.ZodType<BundleRequest> = z.strictObject({
  ids: z.array(z.string().max(200)).min(1).max(MAX_SESSIONS),
  redact: z.boolean().optional(),
  emails: z.boolean().optional(),
  passphrase: z.string().min(1).max(1000).optional(),
});

/** Packs sessions into one file for another machine, as `turnlog bundle` does. */
export function bundleRoutes(library: ServedLibrary, io: Environment): Hono {
  const app = new Hono();

  async function draft({ ids, redact = true, emails = false, passphrase }: BundleRequest): Promise<BundleDraft> {
    const sessions = (await library.locateAll(ids)).map(({ found }) => found);
    const options = { redact, ...(emails ? { redactEmails: true } : {}) };
    return bundleToDraft(
      {
        sessions,
        redactor: redact ? await exportRedactor(options, io) : undefined,
        passphrase: passphrase === undefined ? undefined : new Passphrase(passphrase),
        settings: await library.loadOptions(),
      },
      io,
    );
  }

  async function nameOf({ ids: [id = ""], passphrase }: BundleRequest): Promise<string> {
    return fileNameOf(library, id, passphrase === undefined ? "tar.gz" : "bundle", io);
  }

  app.post("/bundle/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, BUNDLE);
    const redactor = await library.masking();
    const toShown = ({ id, title, files, bytes, leftOut, isRunning, left }: BundledReport) =>
      redactor.json({ id, title, files, bytes, leftOut, isRunning, left }, "bundle");
    try {
      const { report, remove } = await draft({ ...wanted, passphrase: undefined });
      remove();
      const fileName = await nameOf(wanted);
      return c.json({
        fileName,
        sizeBytes: report.bytes,
        sessions: report.sessions.map(toShown),
        report: report.redaction,
        commandLine: lineFor(wanted, fileName),
      } satisfies BundlePreview);
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.post("/bundle", async (c) => {
    const wanted = await readBody(c, BUNDLE);
    const { path, remove } = await draft(wanted);
    return download({ fileName: await nameOf(wanted), pieces: thenRemoved(path, remove) });
  });

  return app;
}

async function* thenRemoved(path: string, remove: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } finally {
    remove();
  }
}

function lineFor({ ids, redact = true, emails = false, passphrase }: BundleRequest, output: string): string {
  return commandLine("bundle", ids, {
    ...(redact ? {} : { noRedact: true as const }),
    ...(emails ? { redactEmails: true as const } : {}),
    ...(passphrase === undefined ? {} : { encrypt: true as const }),
    output,
  });
}
