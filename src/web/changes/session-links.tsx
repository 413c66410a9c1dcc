import { formatCount, formatTime } from "../../render/format-values.js";
import { describeShellGap } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { ChangesAnswer } from "../../server/api/changes.js";
import type { TurnLinks } from "./turn-links.js";

interface SessionLinksProps {
  readonly answer: ChangesAnswer;
  readonly links: TurnLinks;
}

const SHA = 7; // characters that name a commit well enough

/** The pull requests and commits that the session made. */
export function SessionLinks({ answer: { pullRequests, commits }, links }: SessionLinksProps) {
  if (pullRequests.length + commits.length === 0) return null;
  return (
    <ul class="work-links" aria-label="Pull requests and commits">
      {pullRequests.map(({ number, url, repository }, index) => (
        <li key={`pr ${index}`}>
          <span class="kind">Pull request</span>
          <WebLink url={url}>{`${neutralize(repository ?? "")}#${number ?? "?"}`}</WebLink>
        </li>
      ))}
      {commits.map(({ sha, subject, at, branch }) => (
        <li key={sha}>
          <span class="kind">Commit</span>
          <code title={neutralize(sha)}>{neutralize(sha.slice(0, SHA))}</code>
          <span class="subject" dir="auto">
            {neutralize(subject ?? "")}
          </span>
          {branch === null ? null : <span class="quiet">on {neutralize(branch)}</span>}
          <CommitTurn at={at} links={links} />
        </li>
      ))}
    </ul>
  );
}

/** Only web addresses become links. */
function WebLink({ url, children }: { readonly url: string | null; readonly children: string }) {
  if (url === null || !/^https?:\/\//i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  );
}

function CommitTurn({ at, links }: { readonly at: string | null; readonly links: TurnLinks }) {
  const turn = links.turnAt(at);
  if (turn === undefined) return null;
  return (
    <a href={links.pathTo(turn)} title={`${formatTime(at)}: ${links.promptOf(turn)}`}>
      turn {turn}
    </a>
  );
}

/** What is known of the changes of shell commands, and what is not. */
export function ShellChanges({ answer: { shell, perhaps, unrecorded }, links }: SessionLinksProps) {
  if (shell.ran === 0) return null;
  const unknown = shell.ran - shell.compared;
  return (
    <section class="shell-changes">
      <h2>Shell commands</h2>
      <p>
        {formatCount(shell.ran, "command")} ran.{" "}
        {shell.compared === 0
          ? "Claude Code did not record which files they changed."
          : `Claude Code compared files before and after ${shell.compared} of them; those changes are above.`}
        {shell.compared > 0 && unknown > 0 ? ` What the other ${unknown} changed is not recorded.` : ""}
      </p>
      <ul>
        {perhaps.map(({ kind, path, to, turn, command }, index) => (
          <li key={index}>
            <TurnLink turn={turn} links={links} /> may have {kind} <code>{neutralize(path)}</code>
            {to === null ? "" : " to "}
            {to === null ? null : <code>{neutralize(to)}</code>}
            <span class="quiet" title={neutralize(command)}>
              {" "}
              {neutralize(command).slice(0, 80)}
            </span>
          </li>
        ))}
        {unrecorded.map((gap, index) => (
          <li key={`gap ${index}`}>
            <TurnLink turn={gap.turn} links={links} /> files changed by a command: {neutralize(describeShellGap(gap))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function TurnLink({ turn, links }: { readonly turn: number; readonly links: TurnLinks }) {
  return (
    <a href={links.pathTo(turn)} title={links.promptOf(turn)}>
      Turn {turn}:
    </a>
  );
}
