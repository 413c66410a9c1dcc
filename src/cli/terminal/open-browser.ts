import { spawn } from "node:child_process";
import type { Io } from "../io.js";

/** Opens an address in the browser. A missing browser is not a failure: the address was printed. */
export function openBrowser(address: string, { platform, env }: Pick<Io, "platform" | "env">): void {
  const command = browserCommand(address, platform, env);
  if (!command) return;
  const child = spawn(command.name, command.args, { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
}

interface BrowserCommand {
  readonly name: string;
  readonly args: readonly string[];
}

/** Undefined without a display, such as over ssh or in a container. */
export function browserCommand(address: string, platform: NodeJS.Platform, env: Io["env"]): BrowserCommand | undefined {
  if (platform === "darwin") return { name: "open", args: [address] };
  if (platform === "win32") return { name: "rundll32", args: ["url.dll,FileProtocolHandler", address] };
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? { name: "xdg-open", args: [address] } : undefined;
}
