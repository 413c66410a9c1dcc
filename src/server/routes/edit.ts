import { Hono } from "hono";
import * as z from "zod";
import { type EditReport, toEditJson } from "../../app/edit/edit-report.js";
import { prepareEdit, writePrepared } from "../../app/edit/prepare-edit.js";
import { cutTexts, listingPrunable } from "../../app/edit/prunable-turns.js";
import type { Environment } from "../../app/settings.js";
import { rehearseEdit } from "../../edit/write/write-edit.js";
import type { FoundSession } from "../../library/found-session.js";
import type { EditAnswer, EditPreview, EditRequest, PrunableAnswer } from "../api/edit.js";
import { readBody } from "../http/read-request.js";
import { inPieces, skipIfAborted, toRefused } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";
import { commandLine } from "../views/command-line.js";
import { type ChosenEdit, chooseEdit, EDIT_COMMANDS, MAX_PICKED } from "./edit-requests.js";

const MAX_TEXT = 200;
const value = z.union([z.string().max(MAX_TEXT), z.literal(true), z.array(z.string().max(MAX_TEXT)).max(MAX_PICKED)]);
const EDIT: z.ZodType<EditRequest> = z.strictObject({
  command: z.enum(EDIT_COMMANDS),
  flags: z.record(z.string().max(40), value).optional(),
});

/** Makes new sessions from old ones, as the edit commands do. The old session is not changed. */
export function editRoutes(library: ServedLibrary, io: Environment): Hono {
  const app = new Hono();

  async function prepare(found: FoundSession, edit: ChosenEdit): Promise<EditReport> {
    const { marks } = await library.loadOptions();
    const demo = library.isDemo ? { demo: true } : {};
    const known = marks === undefined ? {} : { marks };
    return prepareEdit(found, { ...demo, ...known, ...edit.reading }, io, edit.makePlan, edit.mark);
  }

  app.post("/sessions/:id/edit/preview", skipIfAborted, async (c) => {
    const wanted = await readBody(c, EDIT);
    const id = c.req.param("id");
    const edit = await chooseEdit(wanted, io);
    const found = await library.locate(id);
    try {
      const report = await prepare(found, edit);
      if (edit.redaction) await rehearseEdit(report.plan);
      return c.json(toPreview(report, id, wanted, edit) satisfies EditPreview);
    } catch (error) {
      return c.json(toRefused(error));
    }
  });

  app.get("/sessions/:id/edit/calls", skipIfAborted, async (c) => {
    const id = c.req.param("id");
    const { session, clean } = await library.open(id);
    const turns = await inPieces(listingPrunable(await library.locate(id), session, io));
    return c.json({ turns: cutTexts(clean(turns, "calls")) } satisfies PrunableAnswer);
  });

  app.post("/sessions/:id/edit", async (c) => {
    const wanted = await readBody(c, EDIT);
    const id = c.req.param("id");
    const edit = await chooseEdit(wanted, io);
    const prepared = await prepare(await library.locate(id), edit);
    library.sync.ignoreOwnWrites(prepared.target.id);
    const report = await writePrepared(prepared, io);
    library.sync.ignoreOwnWrites(prepared.target.id);
    await library.sync.refresh();
    const { id: made, resume } = toEditJson(report);
    const answer: EditAnswer = { ...toPreview(report, id, wanted, edit), id: made, resume };
    return c.json(answer);
  });

  return app;
}

function toPreview(
  report: EditReport,
  id: string,
  { command, flags = {} }: EditRequest,
  { redaction }: ChosenEdit,
): EditPreview {
  const { id: _id, path: _path, resume: _resume, dryRun: _dryRun, sideFiles: _sideFiles, ...json } = toEditJson(report);
  const write = command === "repair" ? { write: true as const } : {};
  const line = commandLine(command, [id], { ...flags, ...write });
  return { ...json, commandLine: line, redaction: redaction?.() ?? null };
}
