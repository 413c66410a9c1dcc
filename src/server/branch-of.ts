import type { LoadedSession } from "../library/load-session.js";

/** The session along a rewound branch, or as it stands. */
export function branchOf(session: LoadedSession, leaf: string | undefined): LoadedSession {
  return leaf === undefined ? session : session.branch(leaf);
}
