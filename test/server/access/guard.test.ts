import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAllowedHost, reachableName } from "../../../src/server/access/allowed-hosts.js";
import { createRateLimit } from "../../../src/server/access/guard.js";
import type { ApiFailure } from "../../../src/server/api/start.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { PORT, serveApp } from "../served-app.js";

const HOST = `127.0.0.1:${PORT}`;
const ORIGIN = `http://${HOST}`;

const emptyLibrary = () => ({ configDir: temporaryFolder() });
const codeOf = async (response: Response) => ((await response.json()) as ApiFailure).error.code;

test.each([
  "evil.example",
  `evil.example:${PORT}`,
  "127.0.0.1:80",
  "127.0.0.1",
  `127.0.0.1.evil.example:${PORT}`,
  "",
  "[::",
])("a request for the host %j is refused, whatever it knows", async (host) => {
  const { get } = await serveApp(emptyLibrary());
  const response = await get("/api/start", { host });
  expect(response.status).toBe(421);
  expect(await codeOf(response)).toBe("host");
});

test("every name of loopback is right, with the right port", () => {
  const names = [`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LOCALHOST:${PORT}`, `[::1]:${PORT}`];
  expect(names.filter((name) => !isAllowedHost(name, "127.0.0.1", PORT))).toEqual([]);
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["localhost", "localhost"],
  ["::1", "[::1]"],
  ["0.0.0.0", "127.0.0.1"],
  ["::", "127.0.0.1"],
  ["fe80::1", "[fe80::1]"],
])("who listens on %s is reached at %s", (host, name) => {
  expect(reachableName(host)).toBe(name);
});

test("on another host any address is right, and no name but its own", () => {
  const allowed = (header: string) => isAllowedHost(`${header}:${PORT}`, "box.lan", PORT);
  expect([allowed("192.168.1.7"), allowed("[fe80::1]"), allowed("box.lan"), allowed("evil.example")]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test.each([
  ["a foreign origin", { origin: "http://evil.example" }],
  ["the origin of another port", { origin: "http://127.0.0.1:1" }],
  ["no origin that can be told", { origin: "null" }],
  ["another site", { "sec-fetch-site": "cross-site" }],
  ["another port of this machine", { "sec-fetch-site": "same-site" }],
])("a request from %s is refused, cookie or not", async (_from, headers) => {
  const { get, post } = await serveApp(emptyLibrary());
  const [read, changed] = [await get("/api/sessions", headers), await post("/api/trash", { ids: ["x"] }, headers)];
  expect([read.status, changed.status]).toEqual([403, 403]);
});

test("another site that asks again and again does not use up what the page may ask", async () => {
  const { get } = await serveApp(emptyLibrary(), { limits: { burst: 2, perSecond: 0.01 } });
  const foreign = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
  const statuses = await Promise.all([get("/", foreign), get("/api/start", foreign), get("/x.js", foreign)]);
  expect([...statuses, await get("/api/start")].map(({ status }) => status)).toEqual([403, 403, 403, 200]);
});

test("the page itself may be reached by a link, but not be fetched from elsewhere", async () => {
  const { get } = await serveApp(emptyLibrary());
  const link = await get("/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" });
  const fetched = await get("/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" });
  expect([link.status, fetched.status]).toEqual([200, 403]);
});

test.each(["/api/start", "/api/sessions", "/api/events", "/api/search?q=x", "/api", "/api/nothing"])(
  "%s wants the cookie or the token",
  async (path) => {
    const { app, access } = await serveApp(emptyLibrary());
    const ask = async (headers: Record<string, string>) =>
      (await app.request(`${ORIGIN}${path}`, { headers: { host: HOST, ...headers } })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ cookie: `turnlog-${PORT}=${access.token}` })).toBe(401);
    expect(await ask({ cookie: `turnlog-${PORT + 1}=${access.cookie}` })).toBe(401);
    expect(await ask({ "x-turnlog-token": `${access.token}x` })).toBe(401);
    expect(await ask({ "x-turnlog-token": access.token })).not.toBe(401);
  },
);

test.each([
  "/%61pi/start",
  "/api%2fstart",
  "//api/start",
  "/./api/start",
  "/x/../api/start",
  "/API/start",
  "/api/start/",
])("%s is no way around the token", async (path) => {
  const { app } = await serveApp(emptyLibrary());
  const response = await app.request(new Request(`${ORIGIN}${path}`, { headers: { host: HOST } }));
  expect(await response.text()).not.toContain("changeToken");
});

test("the token in an address is taken for a cookie, and the address goes on without it", async () => {
  const { app, access } = await serveApp(emptyLibrary());
  const response = await app.request(`${ORIGIN}/s/1?token=${access.token}&turn=3`, { headers: { host: HOST } });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/s/1?turn=3");
  expect(response.headers.get("set-cookie")).toBe(
    `turnlog-${PORT}=${access.cookie}; Path=/; HttpOnly; SameSite=Strict`,
  );
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("a link in another page is let in too, by a page that goes on by itself", async () => {
  const { app, access } = await serveApp(emptyLibrary());
  const headers = { host: HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  const response = await app.request(`${ORIGIN}/?token=${access.token}&q=%22%3E%3Cb%3E`, { headers });
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain("<b>");
});

test("no address leads out of the server", async () => {
  const { app, access } = await serveApp(emptyLibrary());
  const response = await app.request(`${ORIGIN}//evil.example/?token=${access.token}`, { headers: { host: HOST } });
  expect(response.headers.get("location")).toBe("/evil.example/");
});

test("a wrong token in an address opens nothing", async () => {
  const { app } = await serveApp(emptyLibrary());
  const response = await app.request(`${ORIGIN}/?token=wrong`, { headers: { host: HOST } });
  expect(response.status).toBe(401);
  expect(response.headers.get("set-cookie")).toBeNull();
});

test.each([
  "/api/trash",
  "/api/trash/restore",
  "/api/trash/remove",
  "/api/sessions/x/marks",
  "/api/sessions/x/reveal",
  "/api/sessions/x/export",
])("the cookie alone changes nothing at %s", async (path) => {
  const { post } = await serveApp(emptyLibrary());
  const [none, wrong] = [
    await post(path, {}, { "x-turnlog-token": "" }),
    await post(path, {}, { "x-turnlog-token": "x" }),
  ];
  expect([none.status, wrong.status]).toEqual([403, 403]);
});

test.each(["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "HEAD"])("%s is not known", async (method) => {
  const { app, access } = await serveApp(emptyLibrary());
  const headers = { host: HOST, "x-turnlog-token": access.token, "x-http-method-override": "POST" };
  const response = await app.request(`${ORIGIN}/api/trash`, { method, headers });
  expect(response.status).toBe(405);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});

test("what changes something cannot be asked for with GET", async () => {
  const { get } = await serveApp(emptyLibrary());
  const paths = ["/api/trash/restore", "/api/trash/remove", "/api/sessions/x/marks", "/api/sessions/x/reveal"];
  const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status));
  expect(statuses).toEqual([404, 404, 404, 404]);
});

test("a body that is too large is refused", async () => {
  const { post } = await serveApp(emptyLibrary());
  const response = await post("/api/trash", { ids: ["x".repeat(70_000)] });
  expect(response.status).toBe(413);
  expect(await codeOf(response)).toBe("size");
});

test("a body that is too large is refused although it does not say so before", async () => {
  const { app, access } = await serveApp(emptyLibrary());
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.alloc(16_384, 32)), // without end
  });
  const headers = { host: HOST, "x-turnlog-token": access.token, "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" };
  expect((await app.request(new Request(`${ORIGIN}/api/trash`, init))).status).toBe(413);
});

test.each([
  ["no JSON", "{", "application/json"],
  ["a form", "ids=x", "application/x-www-form-urlencoded"],
  ["text, as another site could send it", '{"ids":["x"]}', "text/plain"],
  ["fields that are not known", '{"ids":["x"],"path":"/etc"}', "application/json"],
])("a body of %s is refused", async (_what, body, type) => {
  const { app, access } = await serveApp(emptyLibrary());
  const headers = { host: HOST, "x-turnlog-token": access.token, "content-type": type };
  const response = await app.request(`${ORIGIN}/api/trash`, { method: "POST", headers, body });
  expect(response.status).toBe(400);
});

test("too many requests at once are refused, and later ones are not", () => {
  let now = 0;
  const limit = createRateLimit({ burst: 2, perSecond: 1, now: () => now });
  const first = [limit.take("a"), limit.take("a"), limit.take("a"), limit.take("b")];
  now = 1000;
  expect([...first, limit.take("a"), limit.take("a")]).toEqual([true, true, false, true, true, false]);
});

test("whoever asks too often is told to wait", async () => {
  const { get } = await serveApp(emptyLibrary(), { limits: { burst: 2, perSecond: 0.01 } });
  const statuses = [
    (await get("/api/start")).status,
    (await get("/api/start")).status,
    (await get("/api/start")).status,
  ];
  expect(statuses).toEqual([200, 200, 429]);
});

test.each(["/", "/api/start", "/api/nothing", "/missing.js"])("%s is answered with strict headers", async (path) => {
  const { get } = await serveApp(emptyLibrary());
  const { headers } = await get(path);
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
  );
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("access-control-allow-origin")).toBeNull();
});

test("a refusal has the same headers", async () => {
  const { get } = await serveApp(emptyLibrary());
  const { headers } = await get("/api/start", { host: "evil.example" });
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
});

test.each([
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/../../secret.txt",
  "/assets/..%5c..%5csecret.txt",
  "//secret.txt",
])("%s leads to no file outside of the page", async (path) => {
  const folder = temporaryFolder({ "secret.txt": "secret", "web/index.html": "<p>page", "web/assets/a.js": "1" });
  const { get } = await serveApp(emptyLibrary(), { web: join(folder, "web") });
  expect(await (await get(path)).text()).not.toContain("secret\n");
  expect(await (await get(path)).text()).not.toBe("secret");
});

test("the page's files are served, and its addresses lead to the page", async () => {
  const web = temporaryFolder({ "index.html": "<p>page", "assets/a-1.js": "1" });
  const { get } = await serveApp(emptyLibrary(), { web });
  const [script, deep, missing] = [await get("/assets/a-1.js"), await get("/s/some-id"), await get("/assets/b.js")];
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect(await deep.text()).toBe("<p>page");
  expect(missing.status).toBe(404);
});

test("a page that is open goes on with the files of its own build when another one takes their place", async () => {
  const web = temporaryFolder({ "index.html": "<p>page", "assets/a-1.js": "old" });
  const { get } = await serveApp(emptyLibrary(), { web });
  rmSync(join(web, "assets"), { recursive: true });
  writeFileSync(join(web, "index.html"), "<p>next");
  expect(await (await get("/assets/a-1.js")).text()).toBe("old");
  expect(await (await get("/")).text()).toBe("<p>page");
});

test("without a page the server says so", async () => {
  const { get } = await serveApp(emptyLibrary());
  expect(await (await get("/")).text()).toContain("no web UI");
});

test("a password opens the page, and only a few may be tried", async () => {
  const { app, access } = await serveApp(emptyLibrary(), { password: "tidewater", host: "0.0.0.0" });
  const login = (password: string) =>
    app.request(`${ORIGIN}/login`, {
      method: "POST",
      headers: { host: HOST, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ password }),
    });
  const page = await app.request(`${ORIGIN}/`, { headers: { host: HOST } });
  const form = await app.request(`${ORIGIN}/login`, { headers: { host: HOST } });
  const [wrong, right] = [await login("x"), await login("tidewater")];
  const many = [await login("1"), await login("2"), await login("3"), await login("4")];
  expect([page.status, page.headers.get("location")]).toEqual([303, "/login"]);
  expect(await form.text()).toContain('type="password"');
  expect([wrong.status, right.status]).toEqual([401, 303]);
  expect(right.headers.get("set-cookie")).toContain(access.cookie);
  expect(many.at(-1)?.status).toBe(429);
});

test("a form that cannot be read is no password, and no bug", async () => {
  const { app, written } = await serveApp(emptyLibrary(), { password: "tidewater" });
  const headers = { host: HOST, "content-type": "multipart/form-data; boundary=b" };
  const response = await app.request(`${ORIGIN}/login`, { method: "POST", headers, body: "--b broken" });
  expect(response.status).toBe(401);
  expect(written()).toBe("");
});

test("without a password there is nothing to log in to", async () => {
  const { app } = await serveApp(emptyLibrary());
  const response = await app.request(`${ORIGIN}/login`, { method: "POST", headers: { host: HOST }, body: "password=" });
  expect(response.status).toBe(405);
});

test("of a bug the answer tells nothing, and the terminal all", async () => {
  const { get, library, written } = await serveApp(emptyLibrary());
  Object.assign(library, { list: () => Promise.reject(new Error("inner workings")) });
  const response = await get("/api/sessions");
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("inner workings");
  expect(written()).toContain("inner workings");
});
