import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import type { Trace } from "../../../src/trace/observe/observation.js";
import { traceIdOf, traceIdOfTurn } from "../../../src/trace/observe/span-ids.js";
import { traceSession } from "../../../src/trace/observe/trace-session.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

const NEWEST = join(CORPUS, "2.1.326");

/** As files are sent: what is known by its id is not sent again. */
function sentFrom(
  root: string,
  order: "forward" | "backward",
): Map<string, { readonly session: string; readonly message: string | null }> {
  const sessions = findSessions([root]).sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const sent = new Map<string, { readonly session: string; readonly message: string | null }>();
  for (const session of order === "forward" ? sessions : sessions.toReversed()) {
    const options = { state: { kind: "ended" }, sharedSubagents: session.sharedSubagents() } as const;
    for (const { trace } of traceSession(session.open(), options)) collect(trace, sent);
  }
  return sent;
}

function collect({ sessionId, observations }: Trace, sent: ReturnType<typeof sentFrom>): void {
  for (const { spanId, kind, generation } of observations) {
    const message = kind === "generation" ? (generation?.responseId ?? null) : null;
    if (!sent.has(spanId)) sent.set(spanId, { session: sessionId, message });
  }
}

describe.each(["background", "forks", "interactive", "print"])("of the sessions of %s", (folder) => {
  const root = join(NEWEST, folder);

  test("each API message is sent once, by whichever file comes first", () => {
    const messages = [...sentFrom(root, "forward").values()].flatMap(({ message }) => message ?? []);
    expect(messages.length).toBe(new Set(messages).size);
    expect(messages.length).toBeGreaterThan(5);
  });

  test("the same spans are sent in any order", () => {
    expect([...sentFrom(root, "backward").keys()].toSorted()).toEqual([...sentFrom(root, "forward").keys()].toSorted());
  });
});

test("a turn that moved to the background belongs to the session that asked it", () => {
  const project = join(NEWEST, "background/projects/-home-dev-demo-app");
  const [first] = traceSession(join(project, "af3916e1-c017-4ed7-aff9-085a783626ca.jsonl"), {
    state: { kind: "ended" },
  });
  expect(first?.trace.sessionId).toBe("daf7f90b-c90e-44f5-8640-58d496e57bc0");
});

test("ids are those of the documented rule, which others can compute", () => {
  // sha256sum of "trace 2f4d184b-130d-4670-86de-74b1c7ca381f", and of "trace s turn 3"
  expect(traceIdOf("2f4d184b-130d-4670-86de-74b1c7ca381f")).toBe("dee7a243d9344a0534b1bddd1d5838db");
  expect(traceIdOfTurn("s", 3)).toBe("82475fd98829504cb89ff1c28ae9aa9f");
});
