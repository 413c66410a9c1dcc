/** What the in-process measurements use of turnlog's inside; `bundle-internals.mjs` makes one module of it. */
export { indexFile } from "../src/library/indexed/index-file.ts";
export { createIndexWriter } from "../src/library/indexed/index-writer.ts";
export { openIndex } from "../src/library/indexed/open-index.ts";
export { searchIndexed } from "../src/library/indexed/search-indexed.ts";
export { syncIndex } from "../src/library/indexed/sync-index.ts";
export { walkLibrary } from "../src/library/indexed/walk-library.ts";
export { watchRoots } from "../src/library/watch-roots.ts";
