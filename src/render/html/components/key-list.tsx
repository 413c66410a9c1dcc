/** Keys, each with what it does; several are separated by spaces. */
export type KeyMeanings = readonly (readonly [keys: string, meaning: string])[];

/** Those that mean the same wherever a session is read. */
export const TURN_KEYS: KeyMeanings = [
  ["j k", "next, previous turn"],
  ["] [", "next, previous tool call"],
  ["e", "next failure"],
];
export const FOLD_KEYS: KeyMeanings = [
  ["o", "open or close"],
  ["O", "open or close everything"],
  ["t", "open or close all thinking"],
  ["c", "copy a link to this place"],
];
export const HELP_KEYS: KeyMeanings = [["?", "these keys"]];

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
