/** Run by library-index.mjs: the two passes of `turnlog index sync`, in one process. Arguments: internals, library, data folder. */
import { cpuMsSince } from "./cpu-time.mjs";

const [internals = "", library = "", dataFolder = ""] = process.argv.slice(2);
const { limitHeapGrowth, lockAndSync, openIndex } = await import(internals);
limitHeapGrowth({ isBuilding: true });
const index = openIndex(dataFolder);
const catalogMs = await timeOf("none");
const textsMs = await timeOf("all");
index.close();
console.log(JSON.stringify({ catalogMs, textsMs }));

/** @param {"none" | "all"} texts */
async function timeOf(texts) {
  const started = process.cpuUsage();
  await lockAndSync(index, dataFolder, [library], { texts });
  return cpuMsSince(started);
}
