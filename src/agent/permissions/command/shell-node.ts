/**
 * A command line, made only of syntax of which it is certain what bash makes of it. The parser accepts more and is not sound alone:
 * `(( 'a[$(c)]' ))` runs `c`, and it sees no command there.
 */
export type ShellNode = CommandList | Chain | Pipe | Group | Loop | Condition | SimpleCommand;

export interface CommandList {
  readonly kind: "list";
  readonly items: readonly { readonly node: ShellNode; readonly isBackground: boolean }[];
}

/** `a && b || c` */
export interface Chain {
  readonly kind: "chain";
  readonly nodes: readonly ShellNode[];
  readonly operators: readonly ("&&" | "||")[];
}

export interface Pipe {
  readonly kind: "pipe";
  readonly nodes: readonly ShellNode[];
  readonly operators: readonly ("|" | "|&")[];
  /** `!`, `time`, `time -p` in front of it. */
  readonly prefixes: readonly string[];
}

/** `( … )` or `{ …; }` */
export interface Group {
  readonly kind: "group";
  readonly isSubshell: boolean;
  readonly body: ShellNode;
  readonly redirects: readonly Redirect[];
}

/** `for name in words; do body; done` */
export interface Loop {
  readonly kind: "for";
  readonly name: string;
  readonly words: readonly Word[];
  readonly body: CommandList;
}

/** `if test; then body; elif …; else …; fi` */
export interface Condition {
  readonly kind: "if";
  readonly branches: readonly { readonly test: CommandList; readonly body: CommandList }[];
  readonly otherwise: CommandList | undefined;
}

export interface SimpleCommand {
  readonly kind: "command";
  /** `A=1` in front of the program. */
  readonly assignments: readonly Assignment[];
  /** The program and its arguments. */
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** As it was written. */
  readonly text: string;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export type Redirect =
  /** Includes `2>&1`: then the target is a number, or `-`. */
  | { readonly kind: "file"; readonly operator: string; readonly descriptor: number | undefined; readonly target: Word }
  /** A here-document or here-string. */
  | { readonly kind: "text"; readonly text: string; readonly descriptor: number | undefined };

export interface Word {
  readonly pieces: readonly Piece[];
  /** After quotes are removed; undefined if it is known only when it runs. With globs: as written. */
  readonly value: string | undefined;
  /** As it was written. */
  readonly text: string;
}

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** `*`, `?` or `[…]` outside of quotes. */
  | { readonly kind: "glob"; readonly text: string }
  /** `{a,b}` or `{1..3}`: a word for each. */
  | { readonly kind: "braces"; readonly texts: readonly string[] }
  /** `$name`, and the like. `isOwn`: the line itself set it to the output of a command. */
  | { readonly kind: "variable"; readonly name: string; readonly isQuoted: boolean; readonly isOwn?: boolean }
  /** `$(…)` */
  | { readonly kind: "output"; readonly of: ShellNode; readonly isQuoted: boolean }
  /** `<(…)` */
  | { readonly kind: "stream"; readonly of: ShellNode };

/** Thrown while a command line is read, and caught there: it is not certain what bash makes of it. */
export class Uncertain extends Error {
  override readonly name = "Uncertain";
}
