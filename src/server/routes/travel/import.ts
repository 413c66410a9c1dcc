import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Context, Hono } from "hono";
import * as z from "zod";
import { resumeCommand } from "../../../app/resume-command.js";
import type { Environment } from "../../../app/settings.js";
import {
  applyImport,
  type ImportPlan,
  type MappedProject,
  mapProjects,
  planMapped,
} from "../../../app/travel/import-bundle.js";
import type { OpenBundle } from "../../../edit/travel/bundle/open-bundle.js";
import { UserError } from "../../../errors.js";
import { expandHome } from "../../../format/layout/path-forms.js";
import { homeFolder } from "../../../own-user.js";
import type { Redactor } from "../../../redact/create-redactor.js";
import type {
  ImportAnswer,
  ImportedProject,
  ImportedSession,
  ImportPreview,
  ImportRequest,
  UploadAnswer,
} from "../../api/travel.js";
import { readBody } from "../../http/read-request.js";
import { skipIfAborted, toRefused } from "../../http/send-answer.js";
import type { ServedLibrary } from "../../library/served-library.js";
import { Uploads } from "../../library/uploads.js";

const IMPORT: z.ZodType<ImportRequest> = z.strictObject({
  passphrase: z.string().min(1).max(1000).optional(),
  projects: z.array(z.string().max(4096).nullable()).max(1000).optional(),
});

/** The only body that may be large. */
export const UPLOAD_PATH = "/api/import";

/** Takes a bundle, shows what would be written and where, and writes it, as `turnlog import` does. */
export function importRoutes(library: ServedLibrary, io: Environment, closing: AbortSignal): Hono {
  const app = new Hono();
  const uploads = new Uploads();
  closing.addEventListener("abort", () => uploads.close());

  app.post("/import", async (c) => {
    if (library.isDemo) throw new UserError("usage", "cannot write into the demo", "try it with your own sessions");
    const { name, isEncrypted } = await uploads.add(bodyOf(c));
    return c.json({ upload: name, isEncrypted } satisfies UploadAnswer);
  });

  app.post("/import/:upload/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, IMPORT);
    try {
      const bundle = await open(c.req.param("upload"), wanted);
      const { mapped, plan } = await prepare(bundle, wanted, library, io);
      return c.json(toPreview(bundle, mapped, plan, await library.masking()));
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.post("/import/:upload", async (c) => {
    const upload = c.req.param("upload");
    const wanted = await readBody(c, IMPORT);
    const { mapped, plan } = await prepare(await open(upload, wanted), wanted, library, io);
    if (!plan) throw problemOf(mapped);
    const { steps, root } = plan;
    for (const { id } of steps) library.sync.ignoreOwnWrites(id);
    await applyImport(plan, io);
    for (const { id } of steps) library.sync.ignoreOwnWrites(id);
    uploads.remove(upload);
    await library.sync.refresh();
    const redactor = await library.masking();
    const sessions = steps.map(({ id, session, action, project }) => ({
      id,
      title: maskTitle(session.title, redactor),
      action,
      resume: resumeCommand(id, project.folder, root),
    }));
    return c.json({ sessions } satisfies ImportAnswer);
  });

  app.post("/import/:upload/discard", (c) => {
    uploads.remove(c.req.param("upload"));
    return c.json({});
  });

  async function open(upload: string, { passphrase }: ImportRequest): Promise<OpenBundle> {
    const bundle = await uploads.open(upload, passphrase);
    if (!bundle) throw new UserError("locked", "the bundle is encrypted", "enter its passphrase");
    return bundle;
  }

  return app;
}

async function prepare(
  bundle: OpenBundle,
  { projects }: ImportRequest,
  { rootOptions }: ServedLibrary,
  io: Environment,
): Promise<{ readonly mapped: readonly MappedProject[]; readonly plan: ImportPlan | undefined }> {
  const named = projects?.map((folder) => (folder === null ? null : toFolder(folder)));
  const map = await mapProjects(bundle, { ...rootOptions, projects: named }, io);
  const isComplete = map.projects.every(({ local }) => !(local instanceof UserError));
  return { mapped: map.projects, plan: isComplete ? planMapped(map, io) : undefined };
}

async function* bodyOf(c: Context): AsyncGenerator<Uint8Array> {
  if (c.req.raw.body) yield* c.req.raw.body as unknown as AsyncIterable<Uint8Array>;
}

/** A whole path: the folder in which turnlog was started is nothing that the web UI shows. */
export function toFolder(text: string): string {
  const folder = expandHome(text.trim(), homeFolder());
  if (isAbsolute(folder)) return folder;
  throw new UserError("usage", `not a whole path: ${text}`, "begin it with / or ~");
}

function toPreview(
  { manifest }: OpenBundle,
  mapped: readonly MappedProject[],
  plan: ImportPlan | undefined,
  redactor: Redactor,
): ImportPreview {
  const toProject = ({ project, sessions, local }: MappedProject): ImportedProject => {
    const found = local instanceof UserError ? undefined : local;
    return {
      name: redactor.text(project.folder, "project"),
      remote: project.remote === null ? null : redactor.text(project.remote, "project"),
      sessions,
      folder: found?.folder ?? null,
      by: found?.by ?? null,
      exists: found !== undefined && existsSync(found.folder),
      problem: local instanceof UserError ? local.message : null,
    };
  };
  const toSession = (session: OpenBundle["manifest"]["sessions"][number], at: number): ImportedSession => {
    const step = plan?.steps[at];
    return {
      id: step?.id ?? session.id,
      source: session.id,
      title: maskTitle(session.title, redactor),
      turns: session.turns,
      files: session.files.length,
      action: step?.action ?? null,
      path: step?.place.path ?? null,
    };
  };
  return {
    createdAt: manifest.createdAt,
    isRedacted: manifest.redacted !== null,
    projects: mapped.map(toProject),
    sessions: manifest.sessions.map(toSession),
  };
}

function maskTitle(title: string | null, redactor: Redactor): string | null {
  return title === null ? null : redactor.text(title.replaceAll(/\s+/g, " "), "title");
}

function problemOf(mapped: readonly MappedProject[]): UserError {
  const problem = mapped.map(({ local }) => local).find((local) => local instanceof UserError);
  return problem ?? new UserError("not-found", "the folder of a project is not known", "name it");
}
