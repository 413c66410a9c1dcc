import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SessionChange } from "../../server/api/events.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { type ApiError, ask } from "../api.js";
import { useServerEvents } from "../server-events.js";
import { toApiError } from "../use-answer.js";

export interface OpenedSession {
  readonly session: SessionAnswer | undefined;
  readonly failure: ApiError | undefined;
  /** How often it was read anew: what is known of its turns then no longer holds. */
  readonly edition: number;
  reload(): void;
}

/** A session without its texts; it grows while its file does. */
export function useSession(id: string, branch: string | null): OpenedSession {
  const [session, setSession] = useState<SessionAnswer>();
  const [failure, setFailure] = useState<ApiError>();
  const [edition, setEdition] = useState(0);
  const growth = useRef({ isAsking: false, isWanted: false });

  const read = useCallback(
    async (known: SessionAnswer | undefined) => {
      try {
        const answer = await ask<SessionAnswer>(outlinePath(id, branch, known?.turns.length));
        setSession(known ? grown(known, answer) : answer);
        setFailure(undefined);
        if (!known) setEdition((before) => before + 1);
      } catch (error) {
        setFailure(toApiError(error));
      }
    },
    [id, branch],
  );

  useEffect(() => void read(undefined), [read]);

  const grow = useCallback(async () => {
    growth.current.isWanted = true;
    if (growth.current.isAsking) return;
    growth.current.isAsking = true;
    while (growth.current.isWanted) {
      growth.current.isWanted = false;
      await read(latest.current);
    }
    growth.current.isAsking = false;
  }, [read]);

  const latest = useRef(session);
  latest.current = session;
  useServerEvents((event) => {
    if (event.kind === "marks" && event.ids.includes(id)) void grow();
    if (event.kind === "index" && event.index.state === "ready" && latest.current?.live) void grow();
    if (event.kind !== "sessions") return;
    const changes = event.changes.filter((change) => change.id === id);
    if (changes.some(isRewritten)) void read(undefined);
    else if (changes.length > 0) void grow();
  });
  return { session, failure, edition, reload: () => void read(undefined) };
}

function isRewritten({ change, agentId }: SessionChange): boolean {
  return agentId === null && change === "rewritten";
}

function outlinePath(id: string, branch: string | null, from: number | undefined): string {
  const fields = new URLSearchParams({
    ...(branch === null ? {} : { branch }),
    ...(from === undefined || from === 0 ? {} : { from: String(from) }),
  });
  return `/api/sessions/${encodeURIComponent(id)}?${fields}`;
}

/** The last turn that was known is told again: it may have grown. */
function grown(known: SessionAnswer, answer: SessionAnswer): SessionAnswer {
  const first = answer.turns[0]?.index ?? 1;
  return { ...answer, turns: [...known.turns.slice(0, first - 1), ...answer.turns] };
}
