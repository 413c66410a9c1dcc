let isWanted = false;

/** Whoever presses Enter before the answer is there is led to its first hit once it is. */
export function wantFirstHit(): void {
  isWanted = true;
}

/** Another answer is waited for. */
export function forgetFirstHit(): void {
  isWanted = false;
}

/** Whether it is wanted; once. */
export function takeFirstHit(): boolean {
  const wasWanted = isWanted;
  isWanted = false;
  return wasWanted;
}
