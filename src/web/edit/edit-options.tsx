import type { ComponentChildren } from "preact";
import type { EditCommand, EditFlags } from "../../server/api/edit.js";
import { PickCalls } from "./pick-calls.js";

interface EditOptionsProps {
  readonly id: string; // of the session
  readonly command: EditCommand;
  readonly flags: EditFlags;
  readonly turns: number;
  onChange(flags: EditFlags): void;
}

/** The most useful options of a command; the command line has all of them. */
export function EditOptions({ id, command, flags, turns, onChange }: EditOptionsProps) {
  const set = (name: string, value: string | true) => onChange(withFlag(flags, name, value));
  switch (command) {
    case "fork":
      return isByTurn(flags) ? <ForkOptions flags={flags} turns={turns} onChange={onChange} /> : null;
    case "prune":
      return (
        <>
          <PruneOptions flags={flags} set={set} />
          <PickCalls id={id} flags={flags} onChange={onChange} />
        </>
      );
    case "compress":
      return (
        <>
          <Check name="perTurn" label="One summary per turn" flags={flags} onChange={onChange} />
          <Check name="keepCalls" label="Keep names and inputs of tool calls" flags={flags} onChange={onChange} />
        </>
      );
    case "uncompact":
      return <UncompactOptions flags={flags} set={set} />;
    case "redact":
      return <Check name="redactEmails" label="Also redact e-mail addresses" flags={flags} onChange={onChange} />;
    case "clone":
    case "repair":
      return null;
  }
}

/** On a rewound branch the fork point is a record, not a turn. */
function isByTurn({ at, branch }: EditFlags): boolean {
  return branch === undefined && (at === undefined || /^\d*$/.test(String(at)));
}

/** An empty value removes the flag. */
function withFlag(flags: EditFlags, name: string, value: string | true): EditFlags {
  const { [name]: _before, ...others } = flags;
  return value === "" ? others : { ...others, [name]: value };
}

function ForkOptions({ flags, turns, onChange }: Omit<EditOptionsProps, "id" | "command">) {
  const how = "from" in flags ? "from" : "at";
  const turn = String(flags[how] ?? turns);
  return (
    <div class="field-row">
      <Field label="Part">
        <select value={how} onChange={({ currentTarget }) => onChange({ [currentTarget.value]: turn })}>
          <option value="at">up to the end of turn</option>
          <option value="from">starting at turn</option>
        </select>
      </Field>
      <Field label="Turn">
        <input
          type="number"
          min={1}
          max={turns}
          value={turn}
          onInput={({ currentTarget }) => onChange({ [how]: currentTarget.value || "1" })}
        />
      </Field>
    </div>
  );
}

function UncompactOptions({ flags, set }: PruneOptionsProps) {
  return (
    <div class="field-row">
      <Field label="Undo">
        <select
          value={flags["all"] === true ? "all" : ""}
          onChange={({ currentTarget }) => set("all", currentTarget.value === "" ? "" : true)}
        >
          <option value="">the last compaction</option>
          <option value="all">all compactions</option>
        </select>
      </Field>
      <TargetSize flags={flags} set={set} placeholder="60 % of the model's window" />
    </div>
  );
}

function TargetSize({ flags, set, placeholder }: PruneOptionsProps & { readonly placeholder: string }) {
  return (
    <Field label="Target size">
      <input
        placeholder={placeholder}
        value={String(flags["toTokens"] ?? "")}
        onInput={({ currentTarget }) => set("toTokens", currentTarget.value.trim())}
      />
    </Field>
  );
}

interface PruneOptionsProps {
  readonly flags: EditFlags;
  set(name: string, value: string | true): void;
}

const PRESETS = [
  ["light", "light: remove reminders, mentioned files, outdated file reads"],
  ["normal", "normal: also cut older tool results, remove thinking"],
  ["heavy", "heavy: also leave only notes of tool results, images, documents"],
  ["extreme", "extreme: keep only text"],
  ["none", "none: only what you choose below"],
] as const;

function PruneOptions({ flags, set }: PruneOptionsProps) {
  const chosen = (name: string) => String(flags[name] ?? "");
  const check = (name: string) => ({ name, flags, onChange: () => set(name, flags[name] === true ? "" : true) });
  return (
    <>
      <PresetField chosen={chosen("preset")} set={set} />
      <div class="field-row">
        <Field label="Tools">
          <select value={chosen("tools")} onChange={({ currentTarget }) => set("tools", currentTarget.value)}>
            <option value="">as in preset</option>
            <option value="stub">replace results by a note</option>
            <option value="truncate">cut to two lines</option>
            <option value="remove">remove</option>
          </select>
        </Field>
        <Field label="Keep tools in last turns">
          <input
            type="number"
            min={0}
            placeholder="as in preset"
            value={chosen("keepLast")}
            onInput={({ currentTarget }) => set("keepLast", currentTarget.value)}
          />
        </Field>
        <Field label="Keep last tool output">
          <input
            placeholder="20k tokens"
            value={chosen("keepTokens")}
            onInput={({ currentTarget }) => set("keepTokens", currentTarget.value.trim())}
          />
        </Field>
        <Field label="Thinking">
          <select value={chosen("thinking")} onChange={({ currentTarget }) => set("thinking", currentTarget.value)}>
            <option value="">as in preset</option>
            <option value="remove">keep in last turn</option>
            <option value="all">remove all</option>
          </select>
        </Field>
        <TargetSize flags={flags} set={set} placeholder="80k tokens" />
      </div>
      <fieldset class="check-row">
        <legend>Also remove</legend>
        <Check label="Images" {...check("images")} />
        <Check label="Sub-agents" {...check("sidechains")} />
        <Check label="Snapshots" {...check("snapshots")} />
      </fieldset>
    </>
  );
}

function PresetField({ chosen, set }: { readonly chosen: string; readonly set: PruneOptionsProps["set"] }) {
  return (
    <Field label="Preset">
      <select value={chosen} onChange={({ currentTarget }) => set("preset", currentTarget.value)}>
        {PRESETS.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="field">
      {label}
      {children}
    </label>
  );
}

interface CheckProps {
  readonly name: string;
  readonly label: string;
  readonly flags: EditFlags;
  onChange(flags: EditFlags): void;
}

function Check({ name, label, flags, onChange }: CheckProps) {
  return (
    <label class="field check">
      <input
        type="checkbox"
        checked={flags[name] === true}
        onChange={() => onChange(withFlag(flags, name, flags[name] === true ? "" : true))}
      />
      {label}
    </label>
  );
}
