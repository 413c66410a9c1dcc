/** Run by library-index.mjs: the first of the two passes of `turnlog index sync`. Arguments: internals, library, data folder. */

const [internals = "", library = "", dataFolder = ""] = process.argv.slice(2);
const { limitHeapGrowth, lockAndSync, openIndex } = await import(internals);
limitHeapGrowth();
const index = openIndex(dataFolder);
await lockAndSync(index, dataFolder, [library], { texts: "none" });
index.close();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1000 }));
