import { Hono } from "hono";
import type { Access } from "../access.js";
import { failure } from "../answer-failure.js";
import { clientOf, type GuardOptions, setAccessCookie } from "../guard.js";
import { createRateLimit } from "../rate-limit.js";

const FORM = `<!doctype html><html lang="en"><title>turnlog</title><form method="post" action="/login">
<label>Password <input type="password" name="password" autocomplete="current-password" autofocus></label>
<button>Open</button></form></html>
`;

/** Only where turnlog was started with a password. */
export function loginRoutes({ access, port }: Pick<GuardOptions, "port"> & { readonly access: Access }): Hono {
  const attempts = createRateLimit({ burst: 5, perSecond: 0.1 });
  const app = new Hono();
  if (!access.hasPassword) return app;

  app.get("/login", (c) => c.html(FORM));

  app.post("/login", async (c) => {
    if (!attempts.take(clientOf(c))) return failure(c, 429, "rate", "too many attempts", "wait a minute");
    const { password } = await c.req.parseBody();
    if (!access.isPassword(typeof password === "string" ? password : undefined)) {
      return failure(c, 401, "password", "the password is wrong");
    }
    setAccessCookie(c, access, port());
    return c.redirect("/", 303);
  });

  return app;
}
