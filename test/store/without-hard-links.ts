import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** Lets every hard link fail during a test, as FAT (EPERM), FUSE (ENOSYS), Android (EACCES) and others do. */
export function withoutHardLinks(code = "EPERM"): void {
  const { linkSync } = fs;
  const set = (link: typeof linkSync) => {
    fs.linkSync = link;
    syncBuiltinESMExports();
  };
  set(() => {
    throw Object.assign(new Error(`${code}: operation not permitted, link`), { code, syscall: "link" });
  });
  onTestFinished(() => set(linkSync));
}

/** The same for the script of a process; stands before everything it imports. */
export const NO_HARD_LINKS = `
  const { default: fs } = await import("node:fs");
  const { syncBuiltinESMExports } = await import("node:module");
  fs.linkSync = () => {
    throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM", syscall: "link" });
  };
  syncBuiltinESMExports();
`;
