import { BundleDialog } from "./bundle-dialog.js";
import { HandoffDialog } from "./handoff-dialog.js";
import { ImportDialog } from "./import-dialog.js";
import { MoveDialog } from "./move-dialog.js";
import type { TravelDialog } from "./wanted-dialog.js";

interface TravelDialogsProps {
  readonly wanted: TravelDialog;
  onClose(): void;
}

export function TravelDialogs({ wanted, onClose }: TravelDialogsProps) {
  switch (wanted.kind) {
    case "handoff":
      return <HandoffDialog {...wanted} onClose={onClose} />;
    case "bundle":
      return <BundleDialog {...wanted} onClose={onClose} />;
    case "import":
      return <ImportDialog key={wanted.file?.name} {...wanted} onClose={onClose} />;
    case "move":
      return <MoveDialog {...wanted} onClose={onClose} />;
  }
}
