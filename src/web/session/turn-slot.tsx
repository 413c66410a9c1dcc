import { useContext, useMemo, useRef, useState } from "preact/hooks";
import { TurnFrame } from "../../render/html/components/frames.js";
import { Icon } from "../../render/html/components/icon.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { neutralize } from "../../render/safe-text.js";
import type { OutlineTurn, ServedItem, ServedTurn } from "../../server/api/session.js";
import { toApiError } from "../api.js";
import { MASK } from "../labels.js";
import { sessionPath } from "../router.js";
import { IconButton } from "../shell/controls.js";
import { copyText } from "../shell/copy.js";
import { type ItemPlace, ItemPlaceContext, ServedItems } from "./served-items.js";
import { isItemShown, type TurnFilter } from "./visible-parts.js";

interface TurnSlotProps {
  readonly outline: OutlineTurn;
  readonly served: ServedTurn | undefined; // undefined until it is loaded
  readonly filter: TurnFilter;
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
  // Scrolling renders the list often; a turn is rendered only when it has changed.
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
        {served.isCut ? <p class="note">Very long texts are shortened. An export contains them in full.</p> : null}
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
    await acts.current.onReveal().catch((error: unknown) => showStatus(toApiError(error).message));
    setBusy(false);
  };
  return (
    <span class="turn-actions">
      {hasMasks ? <IconButton name="eye" label="Show secrets in this turn" isBusy={isBusy} onClick={reveal} /> : null}
      <IconButton
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
      <IconButton name="raw" label="Raw record" onClick={() => acts.current.onRaw()} />
    </span>
  );
}

function holdsMask({ items, turn }: ServedTurn): boolean {
  return turn.prompt.includes(MASK) || JSON.stringify(items).includes(MASK);
}

/** A turn as Markdown: prompt, answers, and one line per tool call. */
function turnText({ turn, items }: Pick<ServedTurn, "turn" | "items">): string {
  const asked = turn.prompt.split("\n").map((line) => `> ${line}`);
  return `${[asked.join("\n"), ...items.flatMap(itemText)].join("\n\n")}\n`;
}

function itemText(item: ServedItem): string[] {
  switch (item.kind) {
    case "text":
      return [item.text.trim()];
    case "words":
      return [`> ${item.words.text.replaceAll("\n", "\n> ")}`];
    case "followUp":
      return [`> ${item.followUp.prompt.replaceAll("\n", "\n> ")}`];
    case "call": {
      const state = item.call.status === "ok" ? "" : ` (${item.call.status})`;
      return [`- **${item.call.name}** \`${item.view.title.replaceAll("`", "'").split("\n")[0]}\`${state}`];
    }
    default:
      return [];
  }
}
