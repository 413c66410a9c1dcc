import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { EXPORT_FORMATS } from "../app/export/export-formats.js";
import type { Environment } from "../app/settings.js";
import { VERSION } from "../app/version.js";
import { UserError } from "../errors.js";
import { admit, type GuardOptions, guard, harden, hasAccess } from "./access/guard.js";
import type { DemoAnswer, StartAnswer } from "./api/start.js";
import { answerFailure, failure, sendAnswer } from "./http/send-answer.js";
import type { ServedLibrary } from "./library/served-library.js";
import { archiveRoutes } from "./routes/archive.js";
import { blameRoutes } from "./routes/blame.js";
import { changeRoutes } from "./routes/changes.js";
import { compareRoutes } from "./routes/compare.js";
import { contextRoutes } from "./routes/context.js";
import { editRoutes } from "./routes/edit.js";
import { eventRoutes } from "./routes/events.js";
import { exportRoutes } from "./routes/export.js";
import { fileRoutes } from "./routes/files.js";
import { listRoutes } from "./routes/list.js";
import { liveRoutes } from "./routes/live.js";
import { loginRoutes } from "./routes/login.js";
import { markRoutes } from "./routes/marks.js";
import { searchRoutes } from "./routes/search.js";
import { sessionRoutes } from "./routes/session.js";
import { statsRoutes } from "./routes/stats.js";
import { traceRoutes } from "./routes/trace.js";
import { trashRoutes } from "./routes/trash.js";
import { bundleRoutes } from "./routes/travel/bundle.js";
import { handoffRoutes } from "./routes/travel/handoff.js";
import { importRoutes, UPLOAD_PATH } from "./routes/travel/import.js";
import { moveRoutes } from "./routes/travel/move.js";
import type { WebFiles } from "./web-files.js";

export interface AppOptions extends GuardOptions {
  readonly library: ServedLibrary;
  readonly io: Environment;
  readonly web: WebFiles;
  /** Starts a second server with the demo sessions; undefined in that server itself. */
  readonly openDemo?: (() => Promise<DemoAnswer>) | undefined;
  /** Ends event streams and long exports. */
  readonly closing: AbortSignal;
}

const MAX_BODY_BYTES = 64 * 1024;

/** The whole server as a function from requests to answers; `servePage` gives it a port. */
export function createApp(options: AppOptions): Hono {
  const { library, web, access, port } = options;
  const app = new Hono();
  app.onError((error, c) => answerFailure(error, c, library.warn));
  app.use(harden, guard(options));
  app.use(sendAnswer);
  const limited = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (c) => failure(c, 413, "size", "the request is too large", `at most ${MAX_BODY_BYTES} bytes`),
  });
  app.use((c, next) => (c.req.path === UPLOAD_PATH ? next() : limited(c, next)));
  app.use(admit({ access, port }));
  app.route("/api", apiRoutes(options));
  app.route("/", loginRoutes({ access, port, web }));
  app.get("*", (c) => {
    const isOpen = web.isAsset(c.req.path) || !access.hasPassword || hasAccess(c, access, port());
    if (!isOpen) return c.redirect("/login", 303);
    return web.answer(c);
  });
  app.all("*", (c) => failure(c, 405, "method", `method not allowed: ${c.req.method}`));
  return app;
}

function apiRoutes(options: AppOptions): Hono {
  const { library, io, closing } = options;
  const api = new Hono();
  api.route("/", eventRoutes(library, closing));
  api.route("/", exportRoutes(library, io, closing));
  api.get("/start", (c) => c.json(toStart(options)));
  api.post("/demo", async (c) => {
    if (!options.openDemo) throw new UserError("exists", "these are the demo sessions already");
    return c.json(await options.openDemo());
  });
  api.route("/", listRoutes(library));
  api.route("/", liveRoutes(library));
  api.route("/", sessionRoutes(library));
  api.route("/", searchRoutes(library));
  api.route("/", statsRoutes(library));
  api.route("/", fileRoutes(library));
  api.route("/", changeRoutes(library));
  api.route("/", blameRoutes(library));
  api.route("/", compareRoutes(library));
  api.route("/", contextRoutes(library));
  api.route("/", markRoutes(library));
  api.route("/", editRoutes(library, io));
  api.route("/", traceRoutes(library, io));
  api.route("/", trashRoutes(library));
  api.route("/", archiveRoutes(library, io));
  api.route("/", handoffRoutes(library, io));
  api.route("/", bundleRoutes(library, io));
  api.route("/", importRoutes(library, io, closing));
  api.route("/", moveRoutes(library, io));
  api.all("*", (c) => failure(c, 404, "not-found", `no such endpoint: ${c.req.method} ${c.req.path.slice(0, 200)}`));
  return api;
}

function toStart({ library, access }: AppOptions): StartAnswer {
  return {
    version: VERSION,
    pid: process.pid,
    changeToken: access.changeToken,
    roots: library.roots,
    isDemo: library.isDemo,
    demoCommand: "turnlog open --demo",
    exportFormats: EXPORT_FORMATS,
    index: library.sync.state,
  };
}
