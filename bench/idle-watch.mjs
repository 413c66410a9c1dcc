/** Run by library-index.mjs: the share of a core that watching takes while nothing happens. Arguments: internals, library, seconds. */
import { setTimeout as wait } from "node:timers/promises";

const SETTLE_MS = 3000;
const [internals = "", library = "", seconds = "60"] = process.argv.slice(2);
const { watchRoots } = await import(internals);
const watcher = watchRoots([library], () => {});
await wait(SETTLE_MS);
const started = performance.now();
const before = process.cpuUsage();
await wait(Number(seconds) * 1000);
const { user, system } = process.cpuUsage(before);
watcher.close();
console.log(JSON.stringify({ share: (user + system) / 1000 / (performance.now() - started) }));
