import { useEffect, useState } from "preact/hooks";
import { formatCost, formatCount, formatTime } from "../../render/format-values.js";
import { describeFailures } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { ListedSession, SessionsAnswer } from "../../server/api/list.js";
import type { RunningSession, SpentAnswer } from "../../server/api/live.js";
import { useAnswer } from "../api.js";
import { dayLabel, projectName } from "../labels.js";
import { listPath } from "../list/list-filter.js";
import { sessionPath } from "../router.js";
import { useServerEvents } from "../server-events.js";
import { LoadingState } from "../shell/states.js";
import { Budgets } from "./budgets.js";
import { useNotificationSwitch } from "./notifications.js";
import { RunningCard } from "./running-card.js";

interface HomeViewProps {
  /** Undefined until they are known. */
  readonly running: readonly RunningSession[] | undefined;
}

/** What runs now and what it waits for, what it cost, and what was done before. */
export function HomeView({ running }: HomeViewProps) {
  const now = useClock();
  return (
    <div class="page-body home">
      <header class="home-head">
        <h1>Now</h1>
        <NotificationSwitch />
      </header>
      <Spent />
      <Budgets />
      {running === undefined ? (
        <LoadingState />
      ) : running.length === 0 ? (
        <NothingRuns />
      ) : (
        groupsOf(running).map(({ name, sessions }) => (
          <section key={name} aria-label={name}>
            <h2>
              {name} <span class="quiet">{sessions.length}</span>
            </h2>
            <ul class="running">
              {sessions.map((session) => (
                <RunningCard key={session.id} session={session} now={now} />
              ))}
            </ul>
          </section>
        ))
      )}
      <Recent running={running ?? []} />
    </div>
  );
}

interface Group {
  readonly name: string;
  readonly sessions: readonly RunningSession[];
}

/** A session that waits for its next prompt has done what it was asked. */
function groupsOf(running: readonly RunningSession[]): Group[] {
  const groups: readonly [string, (session: RunningSession) => boolean][] = [
    ["Waits for you", ({ needsYou }) => needsYou],
    ["Working", ({ state }) => state === "working"],
    ["Failed", ({ state }) => state === "failed"],
    ["Done", ({ state, needsYou }) => state === "finished" || (state === "waiting" && !needsYou)],
  ];
  const all = groups.map(([name, isIn]) => ({ name, sessions: running.filter(isIn) }));
  return all.filter(({ sessions }) => sessions.length > 0);
}

const TICK_MS = 15_000;

/** The current time, for "3 min ago". */
function useClock(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useServerEvents((event) => {
    if (event.kind === "live") setNow(Date.now());
  });
  return now;
}

function NotificationSwitch() {
  const { state, toggle } = useNotificationSwitch();
  if (state === "unsupported") return null;
  const isBlocked = state === "blocked";
  return (
    <button
      type="button"
      class="button"
      aria-pressed={state === "on"}
      disabled={isBlocked}
      title={
        isBlocked
          ? "This browser blocks notifications of this address: allow them in its settings"
          : "When a session waits for you, is stuck, fails or finishes"
      }
      onClick={toggle}
    >
      {isBlocked ? "Notifications are blocked" : state === "on" ? "Notifications on" : "Notify me"}
    </button>
  );
}

function Spent() {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { answer, reload } = useAnswer<SpentAnswer>(`/api/spent?${new URLSearchParams({ timezone })}`);
  useServerEvents((event) => {
    if (event.kind === "trash" || (event.kind === "index" && event.index.state === "ready")) reload();
  });
  if (!answer) return <div class="home-figures" />;
  const figures = [
    ["Today", answer.today, answer.todayStart],
    ["This week", answer.week, answer.weekStart],
  ] as const;
  return (
    <dl class="home-figures">
      {figures.map(([name, { knownCostUsd, costUsd }, since]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <a href={listPath({ since, sort: "cost" })}>{formatCost(knownCostUsd)}</a>
            {costUsd === null ? <span class="quiet"> without models of unknown price</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function NothingRuns() {
  return (
    <div class="nothing-runs">
      <p>
        <strong>No session is running.</strong> Run <code>claude</code> in a project, or <code>turnlog chat</code>: the
        session appears here, with what it does and what it waits for.
      </p>
      <p>
        To continue a session below, open it and choose <em>Copy resume command</em>. Press <kbd>/</kbd> to search all
        sessions, or <kbd>?</kbd> for keyboard shortcuts.
      </p>
    </div>
  );
}

const RECENT = 10;

function Recent({ running }: { readonly running: readonly RunningSession[] }) {
  const { answer, reload } = useAnswer<SessionsAnswer>(`/api/sessions?limit=${RECENT + running.length}`);
  useServerEvents((event) => {
    const isNew = event.kind === "index" && event.index.state === "ready";
    if (isNew || event.kind === "marks" || event.kind === "trash") reload();
  });
  const isRunning = new Set(running.map(({ id }) => id));
  const recent = answer?.sessions.filter(({ id }) => !isRunning.has(id)).slice(0, RECENT) ?? [];
  if (recent.length === 0) return null;
  return (
    <section aria-label="Recently">
      <h2>Recently</h2>
      <ul class="recent">
        {recent.map((session) => (
          <RecentRow key={session.id} session={session} />
        ))}
      </ul>
    </section>
  );
}

function RecentRow({ session }: { readonly session: ListedSession }) {
  const { id, title, project, endedAt, conversation, totalCostUsd, gitBranch } = session;
  const failures = describeFailures(session).join(", ");
  return (
    <li>
      <a href={sessionPath(id)}>
        <span class="name" dir="auto">
          {neutralize(title)}
        </span>
        <span class="facts">
          <span title={neutralize(project ?? "")}>{neutralize(projectName(project))}</span>
          {gitBranch === null ? null : <span>{neutralize(gitBranch)}</span>}
          <span>{formatCount(conversation.turns, "turn")}</span>
          {totalCostUsd === null ? null : <span>{formatCost(totalCostUsd)}</span>}
          {failures === "" ? null : <span>{failures}</span>}
        </span>
        <time title={formatTime(endedAt)}>{dayLabel(endedAt)}</time>
      </a>
    </li>
  );
}
