/** A transcript as a walk finds it: nothing of it is read. */
export interface LibraryFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Undefined for sessions. */
  readonly agent: AgentPlace | undefined;
  /** The folder of the copy in the archive, where only that is left; null for what lies in its place. */
  readonly archive: string | null;
  /** A file to read it from. */
  open(): string;
}

export interface AgentPlace {
  readonly agentId: string;
  /** The session's file, where the folder tells it; else only the lines do. */
  readonly owner: string | undefined;
  readonly projectDir: string;
}
