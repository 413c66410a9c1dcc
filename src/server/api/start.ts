/** The body of every failed request. */
export interface ApiFailure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

/** The answer to a preview of an edit or export that is impossible. Its status is 200: trying it is how users find out. */
export interface Refused {
  readonly refused: ApiFailure["error"];
}

/** `GET /api/start`: the first request of the web UI. */
export interface StartAnswer {
  readonly version: string;
  readonly pid: number;
  /** Must be sent with every POST, in the header `x-turnlog-token`. */
  readonly changeToken: string;
  readonly roots: readonly string[];
  readonly isDemo: boolean;
  /** Opens the demo library from a terminal; `POST /api/demo` does it from the web UI. */
  readonly demoCommand: string;
  readonly exportFormats: readonly string[];
  readonly index: IndexState;
}

export interface IndexState {
  readonly state: "syncing" | "ready";
  /** First the list of sessions is made, then their words are indexed. */
  readonly phase: "catalog" | "texts";
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

/** `POST /api/demo`: where a second server on this host serves the demo sessions. */
export interface DemoAnswer {
  readonly port: number;
  readonly token: string;
}
