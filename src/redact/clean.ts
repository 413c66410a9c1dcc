/** Takes out what must not be seen, or must not leave, and keeps the shape; `place` is a label for the report. */
export type Clean = <Value>(value: Value, place: string) => Value;
