import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LoadingState } from "./states.js";

/** The plots are loaded when somebody looks at them. */
export function LazyInsights() {
  const [View, setView] = useState<{ readonly it: ComponentType }>();
  useEffect(() => {
    void import("../insights/insights-view.js").then(({ InsightsView }) => setView({ it: InsightsView }));
  }, []);
  return View ? <View.it /> : <LoadingState />;
}
