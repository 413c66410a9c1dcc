import { useState } from "preact/hooks";
import { formatNumber, formatTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { EditFlags, PrunableAnswer } from "../../server/api/edit.js";
import { useAnswer } from "../api.js";
import { LoadingState, Refusal } from "../shell/states.js";

interface PickCallsProps {
  readonly id: string;
  readonly flags: EditFlags;
  onChange(flags: EditFlags): void;
}

/** Turns with their calls, each with what is to become of it; they are requested when the list is opened. */
export function PickCalls(props: PickCallsProps) {
  const [wasOpened, setOpened] = useState(false);
  const count = countPicks(props.flags);
  return (
    <details class="picks" onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>Pick turns and calls{count === 0 ? "" : ` (${formatNumber(count)} picked)`}</summary>
      {wasOpened ? <PickList {...props} /> : null}
    </details>
  );
}

const SHOWN_AT_ONCE = 200;

function PickList({ id, flags, onChange }: PickCallsProps) {
  const { answer, failure } = useAnswer<PrunableAnswer>(`/api/sessions/${encodeURIComponent(id)}/edit/calls`);
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  if (failure) return <Refusal problem={failure} />;
  if (!answer) return <LoadingState />;
  const rows = answer.turns.flatMap(listRows);
  if (rows.length === 0) return <p class="quiet">No tool calls are in the context.</p>;
  const picks = readPicks(flags);
  const left = rows.length - shown;
  return (
    <>
      <p class="quiet">What people said stays. The choice for a call comes before that for its turn.</p>
      <ul>
        {rows.slice(0, shown).map((row) => (
          <li key={`${row.of} ${row.name}`} class={row.of === "Call" ? "pick pick-call" : "pick"}>
            <span class="pick-title" title={row.title}>
              {row.title}
            </span>
            <Choice
              row={row}
              pick={picks.get(`${row.of} ${row.name}`) ?? ""}
              onPick={(pick) => onChange(withPick(flags, row, pick))}
            />
          </li>
        ))}
      </ul>
      {left > 0 ? (
        <button type="button" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          Show more ({formatNumber(left)} left)
        </button>
      ) : null}
    </>
  );
}

/** A turn, or a call of the turn above it. */
interface Row {
  readonly of: "Turn" | "Call";
  readonly name: string; // number or id
  readonly title: string;
  readonly tokens: number;
  readonly stubSaves: number;
  readonly isSpoken: boolean;
}

function listRows({ index, prompt, calls }: PrunableAnswer["turns"][number]): Row[] {
  const open = calls.filter(({ isSpoken }) => !isSpoken);
  const turn: Row = {
    of: "Turn",
    name: String(index),
    title: neutralize(`Turn ${index}: ${prompt}`),
    tokens: open.reduce((sum, { tokens }) => sum + tokens, 0),
    stubSaves: open.reduce((sum, { stubSaves }) => sum + stubSaves, 0),
    isSpoken: open.length === 0,
  };
  const rows = calls.map(
    ({ id, tool, title, ...size }): Row => ({ of: "Call", name: id, title: neutralize(`${tool} ${title}`), ...size }),
  );
  return [turn, ...rows];
}

interface ChoiceProps {
  readonly row: Row;
  readonly pick: string;
  onPick(pick: string): void;
}

function Choice({ row: { title, tokens, stubSaves, isSpoken }, pick, onPick }: ChoiceProps) {
  if (isSpoken) return <span class="quiet">stays: what a person said</span>;
  return (
    <select
      aria-label={title}
      value={pick}
      onChange={({ currentTarget }) => onPick(currentTarget.value)}
      data-picked={pick || undefined}
    >
      <option value="">as above, {formatTokens(tokens)} tokens</option>
      <option value="keep">keep {formatTokens(tokens)}</option>
      <option value="stub">stub, saves {formatTokens(stubSaves)}</option>
      <option value="remove">remove, saves {formatTokens(tokens)}</option>
    </select>
  );
}

const KINDS = ["keep", "stub", "remove"] as const;

function listOf(flags: EditFlags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

function countPicks(flags: EditFlags): number {
  return readPicks(flags).size;
}

/** What is picked: by `Turn 3` or `Call toolu_01…`. */
function readPicks(flags: EditFlags): ReadonlyMap<string, string> {
  const picks = new Map<string, string>();
  for (const of of ["Turn", "Call"]) {
    for (const kind of KINDS) for (const name of listOf(flags, kind + of)) picks.set(`${of} ${name}`, kind);
  }
  return picks;
}

function withPick(flags: EditFlags, { of, name }: Row, pick: string): EditFlags {
  const changed: Record<string, EditFlags[string]> = { ...flags };
  for (const kind of KINDS) {
    const others = listOf(flags, kind + of).filter((known) => known !== name);
    const names = kind === pick ? [...others, name] : others;
    if (names.length > 0) changed[kind + of] = names;
    else delete changed[kind + of];
  }
  return changed;
}
