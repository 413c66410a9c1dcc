import { lazyView } from "../shell/lazy-view.js";

/** The plots are loaded when somebody looks at them. */
export const LazyInsights = lazyView(async () => (await import("./insights-view.js")).InsightsView);

export const LazySessionInsights = lazyView(async () => (await import("./session-insights.js")).SessionInsights);
