/** What the in-process measurements use of turnlog's inside; `bundle-internals.mjs` makes one module of it. */

export { openIndex } from "../src/library/catalog/open-index.ts";
export { searchIndexed } from "../src/library/search/run-search.ts";
export { walkLibrary } from "../src/library/sources/walk-library.ts";
export { indexFile } from "../src/library/sync/index-file.ts";
export { createIndexWriter } from "../src/library/sync/index-writer.ts";
export { syncIndex } from "../src/library/sync/sync-index.ts";
export { watchRoots } from "../src/library/watch/watch-roots.ts";
