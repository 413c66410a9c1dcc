import * as z from "zod";
import { type Handoff, writeHandoff } from "../../../app/edit/handoff.js";
import { UserError } from "../../../errors.js";
import { ALL_TURNS } from "../../../render/show-session.js";
import { cleanText, PAGE_CHARACTERS } from "../answer-pages.js";
import { defineMcpTool, findSession, sessionField } from "../mcp-tool.js";

const DEFAULT_TOKENS = 1500;
const MAX_TOKENS = 3500;
const MIN_TOKENS = 300;

export const sessionBriefTool = defineMcpTool({
  name: "session_brief",
  title: "Hand-off brief of a session",
  description:
    "Where the work of a past session stands, to go on with it: goal, last request, open points, constraints, decisions of people, " +
    "findings, files changed, commands with their outcome. Made by rules from the transcript; session_turns has the details.",
  fields: {
    session: sessionField,
    from: z.int().min(1).optional().describe("The first turn that it is about (default 1)"),
    to: z.int().min(1).optional().describe("The last one"),
    maxTokens: z
      .int()
      .min(MIN_TOKENS)
      .max(MAX_TOKENS)
      .optional()
      .describe(`About how long it may be (default ${DEFAULT_TOKENS} tokens)`),
  },
  async answer({ session: name, from = 1, to = ALL_TURNS.to, maxTokens = DEFAULT_TOKENS }, library) {
    if (to < from) throw new UserError("usage", `to must not be less than from: ${to}`, "for example from 3, to 7");
    const [session, load] = [await findSession(name, library), await library.loadOptions()];
    const found = await library.find(session);
    const clean = (text: string) => cleanText(text, library.clean, "brief");
    const write = (tokens: number) =>
      writeHandoff(found, { range: { from, to }, maxTokens: Math.max(tokens, MIN_TOKENS), clean }, load);
    const { brief } = fitting(write, maxTokens);
    const { title, sections, leftOut, tokens, markdown } = brief;
    return { text: markdown, structured: { sessionId: session.id, title, sections, leftOut, tokens } };
  },
});

/** Tokens are an estimate, and characters that JSON escapes take more room. */
function fitting(write: (tokens: number) => Handoff, most: number): Handoff {
  let handoff = write(most);
  for (let tokens = most; tokens > MIN_TOKENS && isTooLong(handoff); tokens /= 2) handoff = write(tokens / 2);
  return handoff;
}

function isTooLong({ brief: { sections, markdown } }: Handoff): boolean {
  return Math.max(JSON.stringify(sections).length, markdown.length) > PAGE_CHARACTERS;
}
