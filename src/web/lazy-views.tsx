import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { EmptyState, LoadingState } from "./shell/states.js";

/** A view whose code is loaded when it is shown for the first time. */
function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props & JSX.IntrinsicAttributes) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return function LazyView(props) {
    const [View, setView] = useState(() => loaded);
    const [isGone, setGone] = useState(false);
    useEffect(() => {
      load().then(
        (view) => {
          loaded = view;
          setView(() => view);
        },
        () => setGone(true),
      );
    }, []);
    if (isGone) return <OutdatedPage />;
    return View ? <View {...props} /> : <LoadingState />;
  };
}

/** The chunk is missing: the server has stopped, or another build replaced it. */
function OutdatedPage() {
  return (
    <EmptyState title="This part of the web UI could not be loaded">
      <p>turnlog has stopped, or was updated since this page was opened.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload
      </button>
    </EmptyState>
  );
}

export const LazyBlame = lazyView(async () => (await import("./blame/blame-view.js")).BlameView);

export const LazyChanges = lazyView(async () => (await import("./changes/changes-view.js")).ChangesView);

export const LazyCompare = lazyView(async () => (await import("./compare/compare-view.js")).CompareView);

export const LazyContextPanel = lazyView(async () => (await import("./session/context-panel.js")).ContextPanel);

export const LazyHome = lazyView(async () => (await import("./home/home-view.js")).HomeView);

export const LazyInsights = lazyView(async () => (await import("./insights/insights-view.js")).InsightsView);

export const LazyTimeline = lazyView(async () => (await import("./timeline/timeline-view.js")).TimelineView);

export const LazyTravel = lazyView(async () => (await import("./travel/travel-dialogs.js")).TravelDialogs);
