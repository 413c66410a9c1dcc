import { type Context, Hono } from "hono";
import { clientOf, createRateLimit, type GuardOptions, setAccessCookie } from "../access/guard.js";
import type { AccessTokens } from "../access/tokens.js";
import type { WebFiles } from "../web-files.js";

interface LoginOptions extends Pick<GuardOptions, "port"> {
  readonly access: AccessTokens;
  readonly web: WebFiles;
}

/** Empty unless turnlog was started with a password. */
export function loginRoutes({ access, port, web }: LoginOptions): Hono {
  const attempts = createRateLimit({ burst: 5, perSecond: 0.1 });
  const app = new Hono();
  if (!access.hasPassword) return app;
  const refuse = (c: Context, status: 401 | 429, problem: string) => c.html(formPage(web, problem), status);

  app.get("/login", (c) => c.html(formPage(web)));

  app.post("/login", async (c) => {
    if (!attempts.take(clientOf(c))) return refuse(c, 429, "Too many attempts: wait a minute.");
    const { password } = await c.req.parseBody().catch(() => ({ password: undefined }));
    if (!access.isPassword(typeof password === "string" ? password : undefined)) {
      return refuse(c, 401, "Wrong password.");
    }
    setAccessCookie(c, access, port());
    return c.redirect("/", 303);
  });

  return app;
}

/** With the policy `no-referrer`, browsers send a form with the origin `null`; this page sets `same-origin`. */
function formPage({ stylesheet }: WebFiles, problem = ""): string {
  const style = stylesheet === undefined ? "" : `<link rel="stylesheet" href="${stylesheet}">`;
  const told = problem === "" ? "" : `<p id="problem" class="problem" role="alert">${problem}</p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin"><title>turnlog</title>${style}</head>
<body><main class="state login"><h1>turnlog</h1>
<p>Enter the password that turnlog was started with.</p>
<form method="post" action="/login"><input type="text" name="name" value="turnlog" autocomplete="username" hidden>
<label for="password">Password</label>
<input id="password" type="password" name="password" autocomplete="current-password" required autofocus${problem === "" ? "" : ' aria-invalid="true" aria-describedby="problem"'}>
${told}<button class="button primary">Open</button></form></main></body></html>
`;
}
