import { homedir, userInfo } from "node:os";
import { parse } from "node:path";

/** The root folder for a user who has no home, as in containers that run under a user id of their own. */
export function homeFolder(): string {
  return known(homedir) ?? parse(process.cwd()).root;
}

/** Empty for a user id without a name. */
export function userName(): string {
  return known(() => userInfo().username) ?? "";
}

/** Undefined where the system does not know the user. */
function known<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
