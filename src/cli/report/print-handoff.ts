import { resolve } from "node:path";
import { chooseSessionOrDemo } from "../../app/choose-session.js";
import { parseTurnRange } from "../../app/choose-view.js";
import { parseNumber } from "../../app/edit/edit-flags.js";
import {
  type Handoff,
  type HandoffOptions,
  handoffRedactor,
  startFromBrief,
  writeHandoff,
} from "../../app/edit/handoff.js";
import { askForBrief, describeQuestion, prepareQuestion } from "../../app/edit/model-handoff.js";
import { loadOptions } from "../../app/load-options.js";
import { writeOutputFile } from "../../app/output-file.js";
import { exportRedactor, type RedactionOptions } from "../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { neutralize } from "../../render/safe-text.js";
import type { Io } from "../io.js";
import { printedJson } from "../terminal/printed-json.js";
import { describeRedaction } from "./redaction-report.js";

export interface HandoffFlags extends RootOptions, RedactionOptions {
  readonly turns?: string;
  readonly maxTokens: string;
  readonly start?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly yes?: boolean;
}

/** Prints a brief, writes it to a file, or starts a session with it. */
export async function writeHandedOn(name: string, options: HandoffFlags, io: Io): Promise<void> {
  const load = await loadOptions(io);
  const found = await chooseSessionOrDemo(name, options, io, load);
  const redactor = await handoffRedactor(options.start ? "session" : "text", options, io);
  const clean = (text: string) => redactor?.text(text, "brief") ?? text;
  const range = parseTurnRange(options.turns);
  const maxTokens = parseNumber(options.maxTokens, "--max-tokens", "4000");
  const handoff =
    options.model === undefined
      ? writeHandoff(found, { range, maxTokens, clean }, load)
      : await askModel(found, { range, maxTokens, clean }, options, load, io);
  if (!handoff) return;
  if (options.start) {
    const started = await startFromBrief(found, handoff, io);
    if (options.json) return io.stdout(printedJson({ ...started, ...toJson(handoff, found.id) }, io));
    return io.stdout(neutralize(`${started.id}\n${started.resume === null ? "" : `${started.resume}\n`}`));
  }
  const text = options.json ? printedJson(toJson(handoff, found.id), io) : neutralize(handoff.brief.markdown);
  if (options.output === undefined) await io.stdout(text);
  else {
    const path = resolve(io.cwd, options.output);
    const roots = await sessionRoots(io, options);
    await writeOutputFile({ path, overwrite: options.force ?? false, source: found.open(), roots }, [text]);
  }
  io.stderr(redactor ? describeRedaction(redactor.report()) : NOT_REDACTED);
}

/** Undefined: nothing was sent. */
async function askModel(
  found: FoundSession,
  { range, maxTokens, clean }: HandoffOptions,
  options: HandoffFlags,
  load: LoadOptions,
  io: Io,
): Promise<Handoff | undefined> {
  const model = { name: options.model ?? "", baseUrl: options.baseUrl ?? io.env["ANTHROPIC_BASE_URL"] };
  const sent = options.redact ? await exportRedactor(options, io) : undefined;
  const cleanSent = (text: string) => sent?.text(text, "transcript") ?? text;
  const question = prepareQuestion(found, { range, maxTokens, clean: cleanSent }, load);
  io.stderr(describeQuestion(question, model, options.redact));
  if (!options.yes) {
    io.stderr("nothing was sent, and there is no brief (add --yes to send)\n");
    return undefined;
  }
  const handoff = await askForBrief(question, model, clean, io);
  if (sent) io.stderr(`sent, ${describeRedaction(sent.report())}`);
  return handoff;
}

const NOT_REDACTED = "not redacted: the brief may contain secrets, paths and names\n";

function toJson({ brief, model }: Handoff, source: string): object {
  return { source, model, ...brief };
}
