import { useContext, useState } from "preact/hooks";
import { Icon } from "../../render/html/icon.js";
import { say } from "../../render/html/page-script/say.js";
import { TurnFrame } from "../../render/html/turn-frame.js";
import { neutralize } from "../../render/neutralize.js";
import type { OutlineTurn } from "../../server/api/session.js";
import type { ServedTurn } from "../../server/api/turns.js";
import { sessionPath } from "../routes.js";
import { SignButton } from "../shell/sign.js";
import { toApiError } from "../use-answer.js";
import { copyText } from "./copy-text.js";
import { ItemPlaceContext, ServedItems } from "./served-items.js";
import { isItemShown, type SessionFilter } from "./session-filter.js";
import { turnText } from "./turn-text.js";

interface TurnSlotProps {
  readonly outline: OutlineTurn;
  readonly served: ServedTurn | undefined; // until it is loaded
  readonly filter: SessionFilter;
  readonly isNewDay: boolean;
  onReveal(): Promise<void>;
  onRaw(): void;
  onFork(): void;
}

const MASK = "[REDACTED:";

export function TurnSlot({ outline, served, filter, isNewDay, onReveal, onRaw, onFork }: TurnSlotProps) {
  const around = useContext(ItemPlaceContext);
  const { index } = outline;
  if (!served) return <PendingTurn outline={outline} />;
  const href = sessionPath(around.id, { ...around.place, turn: index });
  return (
    <ItemPlaceContext.Provider value={{ ...around, place: { ...around.place, turn: index } }}>
      <TurnFrame
        shown={served}
        anchor={`turn-${index}`}
        href={href}
        isNewDay={isNewDay}
        actions={<TurnActions served={served} onReveal={onReveal} onRaw={onRaw} onFork={onFork} />}
      >
        <ServedItems items={served.items.filter((item) => isItemShown(item, filter))} />
        {served.isCut ? <p class="note">Very long texts are shortened here; an export has them whole.</p> : null}
      </TurnFrame>
    </ItemPlaceContext.Provider>
  );
}

function PendingTurn({ outline: { index, prompt } }: { readonly outline: OutlineTurn }) {
  return (
    <section class="turn pending" aria-busy="true" aria-label={`Turn ${index}`}>
      <header>
        <span class="who">You</span>
        <span class="number">{index}</span>
      </header>
      <div class="prompt">
        <div class="plain">{neutralize(prompt)}</div>
      </div>
    </section>
  );
}

type TurnActionsProps = Pick<TurnSlotProps, "onReveal" | "onRaw" | "onFork"> & { readonly served: ServedTurn };

function TurnActions({ served, onReveal, onRaw, onFork }: TurnActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const hasMasks = JSON.stringify(served.items).includes(MASK) || served.turn.prompt.includes(MASK);
  const reveal = async () => {
    setBusy(true);
    await onReveal().catch((error: unknown) => say(toApiError(error).message));
    setBusy(false);
  };
  return (
    <span class="turn-actions">
      {hasMasks ? (
        <SignButton name="eye" label="Show the secrets of this turn" isBusy={isBusy} onClick={reveal} />
      ) : null}
      <SignButton
        name="copy"
        label="Copy this turn as Markdown"
        onClick={() => void copyText(turnText(served), "Turn")}
      />
      <button type="button" class="sign-button" title="Fork here" aria-label="Fork here" onClick={onFork}>
        <Icon name="fork" />
      </button>
      <SignButton name="raw" label="Raw record" onClick={onRaw} />
    </span>
  );
}
