import { useContext, useState } from "preact/hooks";
import { PageToolsContext } from "./page-tools.js";

/** Whether what is folded has to be there: in a file always, in a living page once it was opened. */
export function useUnfolded(): { readonly isUnfolded: boolean; readonly onToggle: (event: Event) => void } {
  const { isLazy } = useContext(PageToolsContext);
  const [wasOpened, setOpened] = useState(false);
  return {
    isUnfolded: !isLazy || wasOpened,
    onToggle: ({ currentTarget }) => {
      if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) setOpened(true);
    },
  };
}
