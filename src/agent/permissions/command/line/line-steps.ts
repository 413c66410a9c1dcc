import { resolveAsPrograms } from "../../../workspace.js";
import type { Situation } from "../../judgement.js";
import type { Rule } from "../../rule.js";
import type { Reading } from "../judge-reading.js";
import { commandText } from "../match-command.js";
import type { SimpleCommand } from "../shell-node.js";
import { type Conflict, findConflicts, type Step } from "./find-conflicts.js";
import type { Folders } from "./moment.js";

/** Collects the parts that pass alone, in the order in which they run. */
export class LineSteps {
  readonly #steps: Step[] = [];
  #at = 0;
  #depth = 0;
  /** Then nothing is known of the order. */
  hasBackground = false;

  constructor(private readonly situation: Situation) {}

  /** The steps in `walk` are those of a pipe. */
  atOnce<T>(isPipe: boolean, walk: () => T): T {
    if (!isPipe) return walk();
    if (this.#depth === 0) this.#at += 1;
    this.#depth += 1;
    const walked = walk();
    this.#depth -= 1;
    return walked;
  }

  addReading(
    command: SimpleCommand,
    { paths = [], searches = false }: Extract<Reading, { kind: "reads" }>,
    folders: Folders,
    part: number | undefined,
  ): void {
    // What is listed of the folder itself are names.
    const opened = searches ? paths : paths.filter((path) => path !== "." && path !== "./");
    const reads = { paths: this.#absolute(opened, folders), searches };
    this.#add({ text: commandText(command), part, command, reads });
  }

  addInput(text: string, path: string, folders: Folders): void {
    this.#add({ text, part: undefined, reads: { paths: this.#absolute([path], folders), searches: false } });
  }

  addOutput(text: string, writes: readonly string[], command: SimpleCommand | undefined, part: number): void {
    this.#add({ text, part, command, writes });
  }

  addAllowed(command: SimpleCommand, rule: Rule, folders: Folders, part: number): void {
    this.#add({ text: commandText(command), part, command, allowed: { rule, command, folders } });
  }

  /** Parts that must be asked although each passes alone. */
  findConflicts(): readonly Conflict[] {
    const steps = this.hasBackground ? this.#steps.map((step) => ({ ...step, at: 0 })) : this.#steps;
    return findConflicts(steps, this.situation);
  }

  #add(step: Omit<Step, "at">): void {
    if (this.#depth === 0) this.#at += 1;
    this.#steps.push({ ...step, at: this.#at });
  }

  #absolute(paths: readonly string[], folders: Folders = []): readonly string[] {
    return folders.flatMap((folder) => paths.map((path) => resolveAsPrograms(folder, path)));
  }
}
