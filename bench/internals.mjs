/** What the in-process measurements use of turnlog's inside; `bundle-internals.mjs` makes one module of it. */

export { limitHeapGrowth } from "../src/app/small-heap.ts";
export { NO_CHANGES } from "../src/library/catalog/library-changes.ts";
export { openIndex } from "../src/library/catalog/open-index.ts";
export { searchLibrary } from "../src/library/search/run-search.ts";
export { lockAndSync } from "../src/library/sync/sync-index.ts";
