import { type FileOps, fileOps } from "../../../src/format/writer/append-target.js";

/** The real file system with a disk that a test can fill, slow down and break. */
export interface FaultyFileOps extends FileOps {
  /** Bytes left before ENOSPC. */
  space: number;
  /** One write() takes no more than this. */
  largestWrite: number;
  failingCall: "write" | "stat" | "fstat" | "read" | "open" | "close" | "datasync" | null;
  /** Another process that writes just before, or just after, our write(). Each runs once. */
  beforeWrite: (() => void) | null;
  afterWrite: (() => void) | null;
  /** What each write() was given, as text. */
  readonly writes: string[];
  readonly counts: { opened: number; closed: number; datasyncs: number };
}

export function faultyFileOps(): FaultyFileOps {
  const disk: FaultyFileOps = {
    space: Number.POSITIVE_INFINITY,
    largestWrite: Number.POSITIVE_INFINITY,
    failingCall: null,
    beforeWrite: null,
    afterWrite: null,
    writes: [],
    counts: { opened: 0, closed: 0, datasyncs: 0 },
    open(path) {
      failIf(disk, "open");
      disk.counts.opened++;
      return fileOps.open(path);
    },
    stat(path) {
      failIf(disk, "stat");
      return fileOps.stat(path);
    },
    fstat(file) {
      failIf(disk, "fstat");
      return fileOps.fstat(file);
    },
    write(file, bytes) {
      failIf(disk, "write");
      runOnce(disk, "beforeWrite");
      disk.writes.push(Buffer.from(bytes).toString());
      const taken = Math.min(bytes.length, disk.space, disk.largestWrite);
      if (taken === 0) throw fileError("ENOSPC", "write");
      disk.space -= taken;
      const written = fileOps.write(file, bytes.subarray(0, taken));
      runOnce(disk, "afterWrite");
      return written;
    },
    read(file, offset, length) {
      failIf(disk, "read");
      return fileOps.read(file, offset, length);
    },
    async datasync(file) {
      disk.counts.datasyncs++;
      failIf(disk, "datasync");
      await fileOps.datasync(file);
    },
    close(file) {
      fileOps.close(file);
      disk.counts.closed++;
      failIf(disk, "close");
    },
  };
  return disk;
}

function failIf(disk: FaultyFileOps, call: FaultyFileOps["failingCall"]): void {
  if (disk.failingCall === call) throw fileError("EIO", String(call));
}

function runOnce(disk: FaultyFileOps, when: "beforeWrite" | "afterWrite"): void {
  const run = disk[when];
  disk[when] = null;
  run?.();
}

function fileError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}
