// Writes whole lines at the end of a session file, beside whoever else writes to it.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAppender } from "turnlog";

const path = join(mkdtempSync(join(tmpdir(), "example-")), "session.jsonl");
const appender = openAppender(path);
const first = await appender.append({ type: "user", message: { role: "user", content: "Hello" } });
const second = await appender.append({ type: "custom-title", customTitle: "A greeting" });
await appender.sync(); // from here on it survives a power failure
console.log("written at", first.offset, "and", second.offset, "of", appender.status.end, "bytes");
await appender.close();
console.log(readFileSync(path, "utf8").trimEnd());
