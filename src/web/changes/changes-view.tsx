import "./changes.css";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { LineCounts } from "../../render/html/components/code-blocks.js";
import type { ChangedFile, ChangesAnswer } from "../../server/api/changes.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import type { SessionRoute } from "../router.js";
import { useKeys } from "../shell/keyboard.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { ChangedFiles } from "./changed-files.js";
import { ChangesTools, useDiffLook } from "./changes-tools.js";
import { FileDiff } from "./file-diff.js";
import { SessionLinks, ShellChanges } from "./session-links.js";
import { createTurnLinks, type TurnLinks } from "./turn-links.js";

interface ChangesViewProps {
  readonly session: SessionAnswer;
  readonly route: SessionRoute;
  /** Closes the list of files where it is a drawer. */
  onListClosed(): void;
}

/** Everything that a session changed, file by file, as on a pull request. */
export function ChangesView({ session, route, onListClosed }: ChangesViewProps) {
  const { branch, id } = route;
  const fields = { session: id, version: String(session.version), ...(branch === null ? {} : { branch }) };
  const { answer, failure, reload } = useAnswer<ChangesAnswer>(`/api/changes?${new URLSearchParams(fields)}`);
  const links = useMemo(() => createTurnLinks(session, branch), [session, branch]);
  if (failure && !answer) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState label="Reading what changed" />;
  return <Shown answer={answer} route={route} links={links} onListClosed={onListClosed} />;
}

interface ShownProps extends Pick<ChangesViewProps, "route" | "onListClosed"> {
  readonly answer: ChangesAnswer;
  readonly links: TurnLinks;
}

function Shown({ answer, route, links, onListClosed }: ShownProps) {
  const [look, setLook] = useDiffLook();
  const [turn, setTurn] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const files = useMemo(() => filesOfTurn(answer.files, turn), [answer.files, turn]);
  const { current, goTo } = useFilePlace(box, files.length);
  useAnchor(box, route.anchor, answer);
  useKeys({ j: () => goTo(current + 1), k: () => goTo(current - 1) });
  return (
    <>
      <div class="reading-column">
        <div class="changes-view" ref={box} role="region" aria-label="Changes" tabIndex={0}>
          <h1 class="out-of-sight">Changes</h1>
          <header class="changes-head">
            <Sums files={files} />
            <ChangesTools
              files={answer.files}
              links={links}
              look={look}
              turn={turn}
              onLook={setLook}
              onTurn={setTurn}
            />
          </header>
          <SessionLinks answer={answer} links={links} />
          {files.length === 0 ? <NothingChanged answer={answer} /> : null}
          {files.map((file, at) => (
            <FileDiff key={file.path} file={file} at={at} look={look} links={links} route={route} turn={turn} />
          ))}
          <ShellChanges answer={answer} links={links} />
        </div>
      </div>
      <ChangedFiles
        files={files}
        current={current}
        onGo={(at) => {
          onListClosed();
          goTo(at);
        }}
        onClose={onListClosed}
      />
    </>
  );
}

function Sums({ files }: { readonly files: readonly ChangedFile[] }) {
  const sum = (amountOf: (file: ChangedFile) => number) => files.reduce((before, file) => before + amountOf(file), 0);
  return (
    <p class="changes-sums">
      <strong>{formatCount(files.length, "file")} changed</strong>{" "}
      <LineCounts added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
    </p>
  );
}

function NothingChanged({ answer: { files, shell } }: Pick<ShownProps, "answer">) {
  if (files.length > 0) return <p class="quiet">No file changed in this turn.</p>;
  return (
    <p class="quiet">
      No recorded changes to files.
      {shell.ran > 0 ? " Shell commands may have changed some; see below." : ""}
    </p>
  );
}

/** With only the hunks that the turn had a part in. */
function filesOfTurn(files: readonly ChangedFile[], turn: number | null): readonly ChangedFile[] {
  if (turn === null) return files;
  return files.flatMap((file) => {
    const isIts = (at: number) => file.steps[at]?.turn === turn;
    if (!file.steps.some((_, at) => isIts(at))) return [];
    return { ...file, hunks: file.hunks?.filter(({ by }) => by.some(isIts)) ?? null };
  });
}

/** The file at the top of the view, and a way to others. */
function useFilePlace(box: { readonly current: HTMLElement | null }, files: number) {
  const [current, setCurrent] = useState(0);
  const chosen = useRef(0);
  const shown = () => [...(box.current?.querySelectorAll<HTMLElement>(".changed-file") ?? [])];
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const { top, bottom } = element.getBoundingClientRect();
      const places = shown().map((file) => file.getBoundingClientRect());
      // The last files cannot reach the top.
      const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
      const isChosenSeen = (places[chosen.current]?.top ?? bottom) < bottom;
      const passed = places.filter((place) => place.top <= top + 80).length;
      setCurrent(isAtEnd && isChosenSeen ? chosen.current : Math.max(0, passed - 1));
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  const goTo = (at: number) => {
    chosen.current = Math.max(0, Math.min(files - 1, at));
    const file = shown()[chosen.current];
    file?.scrollIntoView({ block: "start" });
    file?.querySelector<HTMLElement>(".file-fold")?.focus({ preventScroll: true });
    setCurrent(chosen.current);
  };
  return { current, goTo };
}

/** A link from a call in the text leads to the hunk that it made. */
function useAnchor(box: { readonly current: HTMLElement | null }, anchor: string, answer: ChangesAnswer): void {
  const reached = useRef("");
  useEffect(() => {
    if (anchor === "" || reached.current === anchor) return;
    const mark = `[data-by~="${CSS.escape(anchor)}"]`;
    const hunk =
      box.current?.querySelector<HTMLElement>(`.hunk${mark}`) ?? box.current?.querySelector<HTMLElement>(mark);
    if (!hunk) return;
    reached.current = anchor;
    hunk.toggleAttribute("data-reached", true);
    hunk.scrollIntoView({ block: "center" });
  }, [anchor, answer]);
}
