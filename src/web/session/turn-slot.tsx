import { useContext, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../render/html/icon.js";
import { say } from "../../render/html/page-script/say.js";
import { TurnFrame } from "../../render/html/turn-frame.js";
import { neutralize } from "../../render/neutralize.js";
import type { OutlineTurn } from "../../server/api/session.js";
import type { ServedTurn } from "../../server/api/turns.js";
import { sessionPath } from "../routes.js";
import { SignButton } from "../shell/sign.js";
import { toApiError } from "../use-answer.js";
import { MASK } from "../words.js";
import { copyText } from "./copy-text.js";
import { type ItemPlace, ItemPlaceContext, ServedItems } from "./served-items.js";
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

export function TurnSlot(props: TurnSlotProps) {
  const { outline, served, filter, isNewDay } = props;
  const around = useContext(ItemPlaceContext);
  const latest = useRef(props);
  latest.current = props;
  // Scrolling paints the list again and again; a turn only when it has changed.
  return useMemo(
    () =>
      served ? (
        <ServedTurnFrame served={served} filter={filter} isNewDay={isNewDay} around={around} acts={latest} />
      ) : (
        <PendingTurn outline={outline} />
      ),
    [served ?? outline, filter, isNewDay, around],
  );
}

interface ServedTurnFrameProps extends Pick<TurnSlotProps, "filter" | "isNewDay"> {
  readonly served: ServedTurn;
  readonly around: ItemPlace;
  readonly acts: { readonly current: TurnSlotProps };
}

function ServedTurnFrame({ served, filter, isNewDay, around, acts }: ServedTurnFrameProps) {
  const { index } = served.turn;
  const place = { ...around.place, turn: index };
  return (
    <ItemPlaceContext.Provider value={{ ...around, place }}>
      <TurnFrame
        shown={served}
        anchor={`turn-${index}`}
        href={sessionPath(around.id, place)}
        isNewDay={isNewDay}
        actions={<TurnActions served={served} acts={acts} />}
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

function TurnActions({ served, acts }: Pick<ServedTurnFrameProps, "served" | "acts">) {
  const [isBusy, setBusy] = useState(false);
  const hasMasks = useMemo(() => holdsMask(served), [served]);
  const reveal = async () => {
    setBusy(true);
    await acts.current.onReveal().catch((error: unknown) => say(toApiError(error).message));
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
      <button
        type="button"
        class="sign-button"
        title="Fork here"
        aria-label="Fork here"
        onClick={() => acts.current.onFork()}
      >
        <Icon name="fork" />
      </button>
      <SignButton name="raw" label="Raw record" onClick={() => acts.current.onRaw()} />
    </span>
  );
}

function holdsMask({ items, turn }: ServedTurn): boolean {
  return turn.prompt.includes(MASK) || JSON.stringify(items).includes(MASK);
}
