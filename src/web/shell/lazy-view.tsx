import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LoadingState } from "./states.js";

/** A view whose code is loaded when somebody looks at it. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props & JSX.IntrinsicAttributes) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return function LazyView(props) {
    const [View, setView] = useState(() => loaded);
    useEffect(() => {
      void load().then((view) => {
        loaded = view;
        setView(() => view);
      });
    }, []);
    return View ? <View {...props} /> : <LoadingState />;
  };
}
