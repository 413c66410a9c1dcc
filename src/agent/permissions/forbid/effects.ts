import { resolveAsPrograms } from "../../workspace.js";

const SYSTEM = /^\/+(?:proc|dev|sys)(?:\/|$)/;
const PLAIN_DEVICE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|u?random)$/;

/** An absolute path. One of the system's stays as it is: `/proc/self/cwd` is another folder for each process. */
export function resolveNamed(folder: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${folder}/${path}`;
  return SYSTEM.test(whole) ? whole : resolveAsPrograms(folder, path);
}

/** Whether where it leads is known only to the process that opens it. */
export function isOfSystem(path: string): boolean {
  return SYSTEM.test(path) && !PLAIN_DEVICE.test(path);
}

/** What a command does to files. Paths are absolute. */
export interface Effects {
  /** Files whose contents it may show or copy. */
  readonly reads: readonly string[];
  /** Files that it may create, change or remove. */
  readonly writes: readonly string[];
  /** Folders of which it may show or copy all files. */
  readonly readsBelow: readonly string[];
  /** Folders of which it may change all files; `as`: the folder where they are created. */
  readonly writesBelow: readonly { readonly folder: string; readonly as: string }[];
  /** It may show contents of files that it does not name. */
  readonly readsUnnamed: boolean;
  readonly writesUnnamed: boolean;
  /** Behind it a path may lead to another file than before: it makes links, or gives a folder another name. */
  readonly makesNames: boolean;
}

/** What rules that forbid need to know of a command. */
export type Understood =
  /** The program, each option and each argument are known: it starts nothing else and does just this. */
  | ({ readonly kind: "known" } & Effects)
  /** It starts nothing else, whatever its arguments are; which files it opens is not known. */
  | { readonly kind: "plain" }
  /** A program of the project or of a toolchain: what it does cannot be seen. `isBuilder`: one that builds and tests, in a plain form. */
  | { readonly kind: "opaque"; readonly isBuilder: boolean }
  /** `isFamiliar`: the program is known, but not in this form. */
  | { readonly kind: "unknown"; readonly reason: string; readonly isFamiliar: boolean };

const NOTHING: Effects = {
  reads: [],
  writes: [],
  readsBelow: [],
  writesBelow: [],
  readsUnnamed: false,
  writesUnnamed: false,
  makesNames: false,
};

export function effects(some: Partial<Effects> = {}): Effects {
  return { ...NOTHING, ...some };
}

/** The same with absolute paths. */
export function effectsIn(folder: string, some: Partial<Effects>): Effects {
  const at = (path: string) => resolveNamed(folder, path);
  return effects({
    ...some,
    reads: (some.reads ?? []).map(at),
    writes: (some.writes ?? []).map(at),
    readsBelow: (some.readsBelow ?? []).map(at),
  });
}
