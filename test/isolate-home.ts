import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Tests never see the real home: every worker inherits this temporary one. */
export default function isolateHome(): () => void {
  const home = mkdtempSync(join(tmpdir(), "turnlog-home-"));
  process.env["HOME"] = home;
  process.env["USERPROFILE"] = home;
  process.env["CLAUDE_CONFIG_DIR"] = join(home, ".claude");
  process.env["TURNLOG_DATA_DIR"] = join(home, "turnlog-data");
  process.env["TMPDIR"] = mkdtempSync(join(home, "tmp-"));
  process.env["CI"] = "1"; // no process in the background, which would outlive its test
  process.env["TURNLOG_KEYCHAIN"] = "off"; // nothing is put into the keychain of whoever runs the tests
  for (const name of ["XDG_DATA_HOME", "XDG_CONFIG_HOME"]) delete process.env[name];
  return () => rmSync(home, { recursive: true, force: true });
}
