interface ToggleProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, words: string])[];
  onChoose(value: Value): void;
}

/** A choice among few, all in sight. */
export function Toggle<Value extends string>({ label, value, options, onChoose }: ToggleProps<Value>) {
  return (
    <fieldset class="toggle">
      <legend class="out-of-sight">{label}</legend>
      {options.map(([option, words]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}
