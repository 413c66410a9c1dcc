import { existsSync } from "node:fs";
import { Hono } from "hono";
import * as z from "zod";
import { describeMentions } from "../../../app/organize/describe-mentions.js";
import type { Environment } from "../../../app/settings.js";
import {
  applyMoveProject,
  completeMoves,
  type MoveProjectPlan,
  planMoveProject,
  previewMoveProject,
} from "../../../app/travel/move-project.js";
import { applyMove, type MovePlan, planMove, previewMove, toMoveJson } from "../../../app/travel/move-to-project.js";
import type { FoundSession } from "../../../library/found-session.js";
import type {
  MovePreview,
  MoveRequest,
  ProjectMoveAnswer,
  ProjectMovePreview,
  ProjectMoveRequest,
  ResumableAnswer,
} from "../../api/travel.js";
import { readBody } from "../../http/read-request.js";
import { skipIfAborted, toRefused } from "../../http/send-answer.js";
import type { ServedLibrary } from "../../library/served-library.js";
import { commandLine } from "../../views/command-line.js";
import { toFolder } from "./import.js";

const folder = z.string().min(1).max(4096);
const flag = z.boolean().optional();
const MOVE: z.ZodType<MoveRequest> = z.strictObject({ to: folder, rewriteCwd: flag, force: flag });
const PROJECT_MOVE: z.ZodType<ProjectMoveRequest> = z.strictObject({ from: folder, to: folder, force: flag });

/** Moves one session, or all of a project, as `turnlog move` does. */
export function moveRoutes(library: ServedLibrary, io: Environment): Hono {
  const app = new Hono();
  const { isDemo: demo } = library;

  async function plan(found: FoundSession, { to, rewriteCwd = false, force = false }: MoveRequest): Promise<MovePlan> {
    const request = { to: toFolder(to), rewritesCwd: rewriteCwd, force, demo };
    return planMove(found, request, await library.loadOptions(), io);
  }

  app.post("/sessions/:id/move/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, MOVE);
    const id = c.req.param("id");
    const found = await library.locate(id);
    try {
      return c.json(toPreview(await plan(found, wanted), wanted));
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.post("/sessions/:id/move", async (c) => {
    const wanted = await readBody(c, MOVE);
    const prepared = await plan(await library.locate(c.req.param("id")), wanted);
    const lines = await applyMove(prepared);
    await library.sync.refresh();
    const { id, resume } = toMoveJson(prepared, lines, false);
    return c.json({ id, resume } satisfies ResumableAnswer);
  });

  const planProject = ({ from, to, force = false }: ProjectMoveRequest) =>
    planMoveProject({ from: toFolder(from), to: toFolder(to) }, { ...library.rootOptions, demo, force }, io);

  app.post("/projects/move/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, PROJECT_MOVE);
    try {
      return c.json(toProjectPreview(await planProject(wanted), wanted));
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.post("/projects/move", async (c) => {
    const wanted = await readBody(c, PROJECT_MOVE);
    if (!demo) await completeMoves(library.rootOptions, io);
    const prepared = await planProject(wanted);
    await applyMoveProject(prepared, io);
    await library.sync.refresh();
    return c.json({ sessions: prepared.journal.sessions.length } satisfies ProjectMoveAnswer);
  });

  return app;
}

function toPreview(plan: MovePlan, { force }: MoveRequest): MovePreview {
  const { id, path, files, cwd, rewritten, left, remains } = toMoveJson(plan, previewMove(plan), true);
  const { to } = plan;
  return {
    from: cwd?.from ?? null,
    to,
    exists: existsSync(to),
    path,
    files,
    rewritten,
    left,
    remains: describeMentions(remains),
    commandLine: commandLine("move", [id, to], {
      ...(cwd === null ? {} : { rewriteCwd: true as const }),
      ...forced(force),
    }),
  };
}

function toProjectPreview(plan: MoveProjectPlan, { force }: ProjectMoveRequest): ProjectMovePreview {
  const { journal, named, settings } = plan;
  const { from, to, sessions, besides } = journal;
  return {
    from,
    to,
    exists: existsSync(to),
    sessions: sessions.length,
    besides: besides.map((beside) => beside.to),
    named: named.map(({ path, count }) => ({ path, count })),
    settings,
    ...previewMoveProject(plan),
    commandLine: commandLine("move", [to], { project: from, ...forced(force) }),
  };
}

function forced(force: boolean | undefined): { readonly force?: true } {
  return force ? { force: true } : {};
}
