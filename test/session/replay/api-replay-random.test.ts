import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiMessage } from "../../../src/format/record/api-message.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { assistant, prompt, session } from "../../builders/session-builder.js";
import { runs } from "../../runs.js";
import { randomSession } from "../random-session.js";
import { apiProblems } from "./api-rules.js";

const RUNS = runs(500);

test("whatever a file holds, the API accepts the replay", () => {
  fc.assert(
    fc.property(randomSession(), fc.constantFrom("inline", "separate"), fc.nat(17), (lines, systemRole, leaf) => {
      const records = session(...lines);
      const { messages } = toApiMessages(records, { systemRole });
      const branch = toApiMessages(records, { systemRole, leaf: `r${leaf}` }).messages;
      expect([...apiProblems(messages), ...apiProblems(branch)]).toEqual([]);
    }),
    RUNS,
  );
});

test("thinking is sent as it was signed, or not at all", () => {
  fc.assert(
    fc.property(randomSession(), (lines) => {
      const written = new Set(JSON.stringify(lines).match(/"signature":"[^"]*"/g));
      const sent = toApiMessages(session(...lines)).messages.flatMap(({ content }) =>
        content.filter(({ type }) => type === "thinking"),
      );
      expect(sent.filter(({ signature }) => !written.has(`"signature":${JSON.stringify(signature)}`))).toEqual([]);
      expect(sent.filter(({ thinking, signature }) => signature !== `signed ${thinking}`)).toEqual([]);
    }),
    RUNS,
  );
});

test("the replay of a replay is itself", () => {
  fc.assert(
    fc.property(randomSession(), (lines) => {
      const { messages } = toApiMessages(session(...lines));
      const again = toApiMessages(session(...messages.map(toLine)));
      expect(again.messages).toEqual(messages);
      expect([...again.report.repaired, ...again.report.dropped]).toEqual([]);
    }),
    RUNS,
  );
});

function toLine({ role, content }: ApiMessage, at: number) {
  return role === "assistant" ? assistant(`m${at}`, content) : prompt(content);
}
