import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionsAnswer } from "../../../src/server/api/list.js";
import type { ApiFailure, Refused } from "../../../src/server/api/start.js";
import type {
  BundlePreview,
  HandoffPreview,
  ImportAnswer,
  ImportPreview,
  MovePreview,
  ProjectMovePreview,
  ResumableAnswer,
  UploadAnswer,
} from "../../../src/server/api/travel.js";
import { readLineage } from "../../../src/store/user-db.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { tokenOf } from "../../cli/planted-library.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { PORT, type ServedApp, serveApp } from "../served-app.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const SECRET = tokenOf("prompt");

/** A session of a folder that is there, and that rested for long. */
function library() {
  const home = temporaryFolder({ "shop/package.json": "{}" });
  const project = join(home, "shop");
  const lines = writeLines([prompt(`log in with ${SECRET}`, { cwd: project }), answer("logged in")]);
  const path = fileIn(home, project);
  mkdirSync(join(path, ".."), { recursive: true });
  renameSync(join(temporaryFolder({ "one.jsonl": `${lines.join("\n")}\n` }), "one.jsonl"), path);
  const past = new Date("2026-01-01T00:00:00Z");
  utimesSync(path, past, past);
  return { home, project, configDir: join(home, "claude"), path };
}

function fileIn(home: string, project: string, id = ID): string {
  return join(home, "claude", "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`);
}

async function asked<Answer>(response: Promise<Response>): Promise<Answer> {
  return (await response).json() as Promise<Answer>;
}

/** On a machine whose project is nowhere else. */
async function bundled(wanted: object = {}): Promise<Buffer> {
  const { configDir, project } = library();
  const { post } = await serveApp({ configDir });
  const bytes = Buffer.from(await (await post("/api/bundle", { ids: [ID], ...wanted })).arrayBuffer());
  rmSync(project, { recursive: true });
  return bytes;
}

function send({ app, access }: ServedApp, bytes: Buffer): Promise<Response> {
  const headers = { host: `127.0.0.1:${PORT}`, "x-turnlog-token": access.token };
  const body = new Uint8Array(bytes);
  return Promise.resolve(app.request(`http://127.0.0.1:${PORT}/api/import`, { method: "POST", headers, body }));
}

test("a brief for others is redacted, one for a new session keeps paths; the session begins with what was shown", async () => {
  const { configDir, project, home } = library();
  const { post, data } = await serveApp({ configDir });
  const at = `/api/sessions/${ID}/handoff`;
  const text = await asked<HandoffPreview>(post(`${at}/preview`, { as: "text" }));
  expect(text.markdown).toContain("[REDACTED:");
  expect(text.markdown).not.toContain(SECRET);
  expect(text.commandLine).toBe(`turnlog handoff ${ID}`);
  const session = await asked<HandoffPreview>(post(`${at}/preview`, { as: "session", maxTokens: "900" }));
  expect(session.markdown).toContain(project);
  expect(session.markdown).not.toContain(SECRET);
  expect(session.commandLine).toBe(`turnlog handoff ${ID} --max-tokens 900 --start`);
  const { id } = await asked<ResumableAnswer>(post(at, { as: "session", maxTokens: "900" }));
  const [record] = readFileSync(fileIn(home, project, id), "utf8").split("\n");
  expect(record).toContain(JSON.stringify(session.markdown).slice(1, -1));
  expect(readLineage(data)).toMatchObject([{ session: id, source: ID, command: "handoff" }]);
});

test("a brief of turns that are not there says so", async () => {
  const { post } = await serveApp({ configDir: library().configDir });
  const refused = await asked<Refused>(post(`/api/sessions/${ID}/handoff/preview`, { as: "text", turns: "x" }));
  expect(refused.refused.message).toContain("--turns");
});

test("a bundle is named after its session, and its preview tells what is taken out", async () => {
  const { post } = await serveApp({ configDir: library().configDir });
  const preview = await asked<BundlePreview>(post("/api/bundle/preview", { ids: [ID] }));
  expect(preview.fileName).toBe("log-in-with-7c1d2e3f.tar.gz");
  expect(preview.report?.total).toBeGreaterThan(0);
  expect(preview.sessions).toMatchObject([{ id: ID, files: 1, leftOut: [] }]);
  expect(preview.commandLine).toBe(`turnlog bundle ${ID} --output ${preview.fileName}`);
  const file = await post("/api/bundle", { ids: [ID] });
  expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${preview.fileName}"`);
});

test("a bundle is shown before it is imported: nothing is written until its project has a folder", async () => {
  const there = temporaryFolder({ "src/shop/package.json": "{}", "claude/projects/x": "" });
  const bytes = await bundled();
  const served = await serveApp({ configDir: join(there, "claude") });
  const { upload } = await asked<UploadAnswer>(send(served, bytes));
  const at = `/api/import/${upload}`;
  const unmapped = await asked<ImportPreview>(served.post(`${at}/preview`, {}));
  expect(unmapped.projects).toMatchObject([
    { sessions: 1, folder: null, problem: expect.stringContaining("no folder") },
  ]);
  expect((await served.post(at, {})).status).toBe(404);
  const projects = [join(there, "src/shop")];
  const mapped = await asked<ImportPreview>(served.post(`${at}/preview`, { projects }));
  const path = fileIn(there, join(there, "src/shop"));
  expect(mapped.projects).toMatchObject([{ folder: projects[0], by: "name", exists: true, problem: null }]);
  expect(mapped.sessions).toMatchObject([{ id: ID, action: "write", path }]);
  expect(existsSync(path)).toBe(false);
  const { sessions } = await asked<ImportAnswer>(served.post(at, { projects }));
  expect(sessions).toMatchObject([{ id: ID, action: "write", resume: expect.stringContaining(`--resume ${ID}`) }]);
  expect(readFileSync(path, "utf8")).toContain(`"cwd":"${projects[0]}"`);
  expect((await served.json<SessionsAnswer>("/api/sessions")).sessions.map(({ id }) => id)).toEqual([ID]);
  const again = await asked<Refused>(served.post(`${at}/preview`, { projects }));
  expect(again.refused.message).toBe("the file is no longer here");
});

test("an encrypted bundle asks for its passphrase", async () => {
  const there = temporaryFolder({ "shop/package.json": "{}", "claude/projects/x": "" });
  const served = await serveApp({ configDir: join(there, "claude") });
  const { upload, isEncrypted } = await asked<UploadAnswer>(send(served, await bundled({ passphrase: "open sesame" })));
  expect(isEncrypted).toBe(true);
  const preview = (passphrase: object) =>
    asked<Refused & ImportPreview>(served.post(`/api/import/${upload}/preview`, passphrase));
  expect((await preview({})).refused.message).toBe("the bundle is encrypted");
  expect((await preview({ passphrase: "open" })).refused.message).toContain("the passphrase is wrong");
  expect((await preview({ passphrase: "open sesame" })).sessions).toMatchObject([{ id: ID }]);
});

test("what is no bundle is refused, and so is a relative folder", async () => {
  const served = await serveApp({ configDir: library().configDir });
  const refused = await send(served, Buffer.from("no bundle"));
  expect(refused.status).toBe(422);
  expect(((await refused.json()) as ApiFailure).error.message).toBe("the file is no bundle");
  const moved = await asked<Refused>(served.post(`/api/sessions/${ID}/move/preview`, { to: "shop" }));
  expect(moved.refused.message).toBe("not a whole path: shop");
});

test("a session is moved to another project after its preview, with the paths that Claude Code reads", async () => {
  const { home, configDir, path } = library();
  const { post } = await serveApp({ configDir });
  const wanted = { to: join(home, "store"), rewriteCwd: true };
  const preview = await asked<MovePreview>(post(`/api/sessions/${ID}/move/preview`, wanted));
  const target = fileIn(home, wanted.to);
  expect(preview).toMatchObject({ path: target, files: 1, rewritten: 1, exists: false });
  expect(preview.commandLine).toBe(`turnlog move ${ID} ${wanted.to} --rewrite-cwd`);
  expect(existsSync(target)).toBe(false);
  await post(`/api/sessions/${ID}/move`, wanted);
  expect([existsSync(path), readFileSync(target, "utf8").includes(`"cwd":"${wanted.to}"`)]).toEqual([false, true]);
});

test("all sessions of a folder that was renamed move with it", async () => {
  const { home, project, configDir } = library();
  const { post } = await serveApp({ configDir });
  const wanted = { from: project, to: join(home, "store") };
  const preview = await asked<ProjectMovePreview>(post("/api/projects/move/preview", wanted));
  expect(preview).toMatchObject({ sessions: 1, rewritten: 1, settings: [], exists: false });
  expect(preview.commandLine).toBe(`turnlog move ${wanted.to} --project ${project}`);
  expect(await asked(post("/api/projects/move", wanted))).toEqual({ sessions: 1 });
  expect(existsSync(fileIn(home, wanted.to))).toBe(true);
});

test("demo sessions are neither moved nor added to", async () => {
  const served = await serveApp({ demo: true });
  const [session] = (await served.json<SessionsAnswer>("/api/sessions")).sessions;
  const at = `/api/sessions/${session?.id}`;
  const answers = [
    await send(served, await bundled()),
    await served.post(`${at}/move`, { to: "/tmp/elsewhere" }),
    await served.post(`${at}/handoff`, { as: "session" }),
    await served.post("/api/projects/move", { from: "/home/dev/shop", to: "/tmp/elsewhere" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
});
