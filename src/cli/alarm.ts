/** Sleeps until it rings or the time is over; a ring while awake ends the next sleep at once. */
export class Alarm {
  private isRung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.isRung) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        this.wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    this.wake = undefined;
    this.isRung = false;
  }
}
