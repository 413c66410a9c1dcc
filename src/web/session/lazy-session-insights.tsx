import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionAnswer } from "../../server/api/session.js";
import { LoadingState } from "../shell/states.js";

interface SessionInsightsProps {
  readonly session: SessionAnswer;
}

export function LazySessionInsights(props: SessionInsightsProps) {
  const [View, setView] = useState<{ readonly it: ComponentType<SessionInsightsProps> }>();
  useEffect(() => {
    void import("../insights/session-insights.js").then(({ SessionInsights }) => setView({ it: SessionInsights }));
  }, []);
  return View ? <View.it {...props} /> : <LoadingState />;
}
