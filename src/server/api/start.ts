/** What every request that fails is answered with. */
export interface ApiFailure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null };
}

/** What a preview is answered with where nothing would come of it, and why. People find that out by trying: it is no failure. */
export interface Refused {
  readonly refused: Omit<ApiFailure["error"], "code">;
}

/** `GET /api/start`: what the page asks for first. */
export interface StartAnswer {
  readonly version: string;
  readonly pid: number;
  /** Goes with every POST, in the header `x-turnlog-token`. */
  readonly changeToken: string;
  readonly roots: readonly string[];
  readonly isDemo: boolean;
  /** How somebody without sessions looks at the demo library, besides `POST /api/demo`. */
  readonly demoCommand: string;
  readonly exportFormats: readonly string[];
  readonly index: IndexState;
}

export interface IndexState {
  readonly state: "syncing" | "ready";
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

/** `POST /api/demo`: another page of the same host, with demo sessions. */
export interface DemoAnswer {
  readonly port: number;
  readonly token: string;
}
