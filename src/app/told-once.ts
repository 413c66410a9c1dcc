/** A note that comes again and again is told once. */
export function toldOnce(tell: (note: string) => void): (note: string) => void {
  let last = "";
  return (note) => {
    if (note !== last) tell(note);
    last = note;
  };
}
