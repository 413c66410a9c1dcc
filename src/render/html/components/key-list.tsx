/** Keys and what they do; alternative keys are separated by spaces. */
export type KeyMeanings = readonly (readonly [keys: string, meaning: string])[];

/** Keys that the web UI and exported pages share. */
export const TURN_KEYS: KeyMeanings = [
  ["j k", "next, previous turn"],
  ["] [", "next, previous tool call"],
  ["e", "next failure"],
];
export const FOLD_KEYS: KeyMeanings = [
  ["o", "expand or collapse"],
  ["O", "expand or collapse all"],
  ["t", "expand or collapse all thinking"],
  ["c", "copy a link to this place"],
];
export const HELP_KEYS: KeyMeanings = [["?", "show keyboard shortcuts"]];

export function KeyList({ keys }: { readonly keys: KeyMeanings }) {
  return (
    <dl>
      {keys.map(([names, meaning]) => (
        <div key={names}>
          <dt>
            {names.split(" ").map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
