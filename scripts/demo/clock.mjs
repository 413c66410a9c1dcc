/** A clock that the story winds: every reading is a little later than the one before. */
export function openClock(start) {
  let time = Date.parse(start);
  return {
    now() {
      time += 7;
      return new Date(time).toISOString();
    },
    /** Milliseconds since the epoch, without moving on. */
    epoch: () => time,
    pass(seconds) {
      time += Math.round(seconds * 1000);
    },
  };
}
