import { join } from "node:path";
import type { SandboxPlan } from "./plan-sandbox.js";

/** A profile for `sandbox-exec`: the last rule that fits decides. `folders`: more that this command may write to. */
export function seatbeltProfile(plan: SandboxPlan, folders: readonly string[]): string {
  const writable = [...plan.writable, ...plan.temporary, plan.privateTemporary, ...folders];
  const hidden = plan.hidden.map(({ path }) => path);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    rule("deny file-read-data", below(plan.emptied)),
    rule("allow file-read*", below([...plan.readable, ...writable])),
    rule("allow file-write*", below(writable)),
    `(allow file-write* ${DEVICES.map((path) => `(literal ${quoted(path)})`).join(" ")} (subpath "/dev/fd"))`,
    rule("deny file-write*", below(plan.readOnly)),
    rule("deny file-write*", exactly([...plan.pinned, ...plan.pinned.map((path) => join(path, "commondir"))])),
    rule("deny file-read* file-write*", below(hidden)),
    ...(plan.allowsNetwork ? [] : ["(deny network*)"]),
    ...unixSocketRules(plan),
    // The environment of other processes, and services that start programs outside of the sandbox or give out keys.
    "(deny process-info* (target others))",
    '(deny sysctl-read (sysctl-name-prefix "kern.procargs"))',
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "(deny appleevent-send)",
    `(deny mach-lookup ${SERVICES.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    "",
  ]
    .filter((line, at, lines) => line !== "" || at === lines.length - 1)
    .join("\n");
}

/** Names of hosts are looked up by a socket. */
function unixSocketRules({ allowsNetwork, allowsUnixSockets }: SandboxPlan): readonly string[] {
  if (allowsUnixSockets === allowsNetwork) return [];
  if (allowsUnixSockets) return ['(allow network* (subpath "/"))'];
  return ['(deny network* (subpath "/"))', '(allow network* (literal "/private/var/run/mDNSResponder"))'];
}

const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];
const SERVICES = [
  "com.apple.SecurityServer",
  "com.apple.securityd",
  "com.apple.securityd.xpc",
  "com.apple.coreservices.launchservicesd",
  "com.apple.pasteboard.1",
];

function rule(action: string, filters: readonly string[]): string {
  return filters.length === 0 ? "" : `(${action} ${filters.join(" ")})`;
}

const below = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`);
const exactly = (paths: readonly string[]) => paths.map((path) => `(literal ${quoted(path)})`);

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
