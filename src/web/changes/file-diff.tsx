import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { LineCounts } from "../../render/html/components/code-blocks.js";
import { PageToolsContext } from "../../render/html/components/page-tools.js";
import { neutralize } from "../../render/safe-text.js";
import { languageOf } from "../../render/tools/language-of.js";
import type { ChangedFile, ChangedHunk, ChangeStep, ChangesAnswer } from "../../server/api/changes.js";
import { useAnswer } from "../api.js";
import { blamePath, type SessionRoute } from "../router.js";
import { Refusal } from "../shell/states.js";
import type { DiffLook } from "./changes-tools.js";
import { type Gap, GapRow } from "./context-gap.js";
import { DiffRows } from "./diff-rows.js";
import { stepAnchor, type TurnLinks } from "./turn-links.js";

interface FileDiffProps {
  readonly file: ChangedFile;
  readonly at: number;
  readonly look: DiffLook;
  readonly links: TurnLinks;
  readonly route: Pick<SessionRoute, "id" | "branch">;
  /** Only hunks of this turn are shown. */
  readonly turn: number | null;
}

const LINE = 19; // pixels

/** One file with its hunks; rendered when it is near the window. */
export function FileDiff({ file, at, look, links, route, turn }: FileDiffProps) {
  const [isOpen, setOpen] = useState(true);
  const [isWanted, setWanted] = useState(false);
  const whole = useWholeFile(file, route, isWanted && file.hunks === null);
  const { box, isNear } = useNearness(at < 2);
  const hunks = file.hunks ?? whole.hunks;
  const lines = (hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.length + 1, 0);
  const counts = hunks === null ? file : { added: count(hunks, "+"), removed: count(hunks, "-") };
  return (
    <section
      class="changed-file"
      ref={box}
      data-by={file.steps.map(stepAnchor).join(" ")}
      aria-label={neutralize(file.name)}
    >
      <header>
        <button type="button" class="file-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <FileName file={file} />
        </button>
        <LineCounts {...counts} />
        <StepLinks file={file} links={links} />
        <a class="to-blame" href={blamePath(file.path)} title="Who wrote each line of this file as it is now">
          Lines
        </a>
      </header>
      {isOpen ? (
        <>
          {file.notes.map((note) => (
            <p key={note} class="note">
              {neutralize(note)}
            </p>
          ))}
          {whole.problem ? <Refusal problem={whole.problem} /> : null}
          {hunks === null ? (
            <LongDiff file={file} onShow={() => setWanted(true)} />
          ) : isNear ? (
            <Hunks file={file} hunks={hunks} look={look} links={links} route={route} isPart={turn !== null} />
          ) : (
            <div style={{ height: `${lines * LINE}px` }} />
          )}
        </>
      ) : null}
    </section>
  );
}

function LongDiff({ file: { added, removed }, onShow }: Pick<FileDiffProps, "file"> & { onShow(): void }) {
  return (
    <p class="note">
      Long diff: {formatCount(added, "line")} added, {removed} removed.{" "}
      <button type="button" class="link" onClick={onShow}>
        Show it
      </button>
    </p>
  );
}

function count(hunks: readonly ChangedHunk[], sign: string): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
}

/** A file that is too long for the answer about all of them. */
function useWholeFile({ path }: ChangedFile, { id, branch }: FileDiffProps["route"], isWanted: boolean) {
  const fields = new URLSearchParams({ session: id, path, ...(branch === null ? {} : { branch }) });
  const { answer, failure } = useAnswer<ChangesAnswer>(isWanted ? `/api/changes?${fields}` : null);
  return { hunks: answer?.files[0]?.hunks ?? null, problem: failure };
}

/** Whether an element was ever near the window. */
function useNearness(isNearAtOnce: boolean) {
  const box = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(isNearAtOnce);
  useEffect(() => {
    const element = box.current;
    if (isNear || !element) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: "1200px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
  return { box, isNear };
}

const STATES = { added: "new", changed: "", removed: "removed" } as const;

function FileName({ file: { name, path, state } }: Pick<FileDiffProps, "file">) {
  const folder = name.slice(0, name.search(/[^\\/]*$/));
  return (
    <span class="file-name" title={neutralize(path)}>
      <bdi>
        <span class="folder">{neutralize(folder)}</span>
        {neutralize(name.slice(folder.length))}
      </bdi>
      {state === "changed" ? null : <i class={state}>{STATES[state]}</i>}
    </span>
  );
}

const SHOWN_STEPS = 6;

/** The turns that changed the file, each once. */
function StepLinks({ file: { steps }, links }: Pick<FileDiffProps, "file" | "links">) {
  const turns = [...new Map(steps.map((step) => [step.turn, step])).values()];
  return (
    <span class="step-links">
      {turns.slice(0, SHOWN_STEPS).map((step) => (
        <a key={step.turn} href={links.pathToStep(step)} title={links.promptOf(step.turn)}>
          turn {step.turn}
        </a>
      ))}
      {turns.length > SHOWN_STEPS ? <span>and {turns.length - SHOWN_STEPS} more</span> : null}
    </span>
  );
}

interface HunksProps extends Pick<FileDiffProps, "file" | "look" | "links" | "route"> {
  readonly hunks: readonly ChangedHunk[];
  /** Some hunks are left out: what is between them is not only unchanged lines. */
  readonly isPart: boolean;
}

function Hunks({ file, hunks, look, links, route, isPart }: HunksProps) {
  const { highlight } = useContext(PageToolsContext);
  const language = languageOf(file.path);
  const hasGaps = file.isWhole && file.state === "changed" && !isPart;
  const gapAfter = (at: number) => (hasGaps ? gapBetween(hunks[at], hunks[at + 1]) : undefined);
  const gap = (found: Gap | undefined) =>
    found ? <GapRow gap={found} path={file.path} language={language} look={look} route={route} /> : null;
  if (hunks.length === 0) return <p class="note">Changed, and changed back: no difference is left.</p>;
  return (
    <div class={look.isWrapped ? "diff-body wrapped" : "diff-body"}>
      {gap(gapAfter(-1))}
      {hunks.map((hunk, at) => (
        <div key={at} class="hunk" data-by={hunk.by.map((step) => stepAnchor(file.steps[step] ?? NO_STEP)).join(" ")}>
          <HunkHead hunk={hunk} file={file} links={links} />
          <DiffRows hunk={hunk} language={language} highlight={highlight} look={look} />
          {gap(gapAfter(at))}
        </div>
      ))}
    </div>
  );
}

const NO_STEP = { turn: 0, agentId: null, callId: null, tool: null };

/** The unchanged lines between two hunks, before the first or after the last. */
function gapBetween(before: ChangedHunk | undefined, after: ChangedHunk | undefined): Gap | undefined {
  const from = before ? before.newStart + before.newLines : 1;
  const shift = before ? before.oldStart + before.oldLines - from : 0;
  if (!after) return { from, to: null, shift };
  return after.newStart > from ? { from, to: after.newStart - 1, shift } : undefined;
}

interface HunkHeadProps extends Pick<HunksProps, "file" | "links"> {
  readonly hunk: ChangedHunk;
}

/** Where the hunk is, and the calls that made it; calls of one tool in one turn are one link, to the last. */
function HunkHead({ hunk: { newStart, newLines, by }, file, links }: HunkHeadProps) {
  const last = newStart + Math.max(1, newLines) - 1;
  const makers = new Map<string, { readonly step: ChangeStep; readonly calls: number }>();
  for (const at of by) {
    const step = file.steps[at];
    if (!step) continue;
    const key = JSON.stringify([step.turn, step.agentId, step.tool]);
    makers.set(key, { step, calls: (makers.get(key)?.calls ?? 0) + 1 });
  }
  return (
    <p class="hunk-head">
      <span class="place">{newStart === 0 ? "place not recorded" : `lines ${newStart}–${last}`}</span>
      {[...makers].map(([key, { step, calls }]) => (
        <a key={key} href={links.pathToStep(step)} title={links.promptOf(step.turn)}>
          turn {step.turn}
          {step.agentId === null ? "" : ", sub-agent"}
          {step.tool === null ? "" : ` · ${neutralize(step.tool)}`}
          {calls > 1 ? ` × ${calls}` : ""}
        </a>
      ))}
      {by.length === 0 ? <span class="quiet">not by a recorded call</span> : null}
    </p>
  );
}
