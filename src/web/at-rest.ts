const REST_MS = 1000;

/** Once the browser has painted what there is, and has nothing else to do. */
export function atRest(): Promise<unknown> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(resolve, { timeout: REST_MS });
    else setTimeout(resolve, REST_MS);
  });
}

/** Once the browser has painted what there is; a page that nobody looks at is not painted. */
export function afterPaint(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, REST_MS);
  });
}
