import { useLayoutEffect, useState } from "preact/hooks";

/** Dialogs that sessions travel by; each can be opened from several places. */
export type TravelDialog =
  | { readonly kind: "handoff"; readonly id: string; readonly turns: number }
  | { readonly kind: "bundle"; readonly ids: readonly string[] }
  | { readonly kind: "import"; readonly file?: File }
  /** Without a session: all of a project. */
  | { readonly kind: "move"; readonly id?: string; readonly project: string | null };

let show: (wanted: TravelDialog | undefined) => void = () => {};

export function openTravel(wanted: TravelDialog): void {
  show(wanted);
}

export function useTravelDialog(): readonly [TravelDialog | undefined, () => void] {
  const [wanted, setWanted] = useState<TravelDialog>();
  useLayoutEffect(() => {
    show = setWanted;
    return () => {
      show = () => {};
    };
  }, []);
  return [wanted, () => setWanted(undefined)];
}

/** A bundle can be dropped anywhere on the page. */
export function useDroppedBundle(): void {
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const accept = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const take = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      openTravel({ kind: "import", file });
    };
    addEventListener("dragover", accept, { signal });
    addEventListener("drop", take, { signal });
    return () => leaving.abort();
  }, []);
}
