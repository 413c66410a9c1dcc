import { lazyView } from "../shell/lazy-view.js";

export const LazyCompare = lazyView(async () => (await import("./compare-view.js")).CompareView);
