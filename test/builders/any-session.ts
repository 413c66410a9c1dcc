import fc from "fast-check";
import * as build from "./session-builder.js";

/** One event of a random session; `pick` chooses what it refers to. */
interface Event {
  readonly kind: keyof typeof EVENTS;
  readonly pick: number;
  readonly parent: ParentChoice;
}

type ParentChoice = "previous" | "earlier" | "root" | "missing" | "later";

interface Story {
  readonly drafts: build.Draft[];
  records: number; // with uuid, written so far
  calls: number;
}

type MakeDraft = (pick: number, story: Story) => build.Draft;

/** Some call that was made before, or (rarely) one that nobody made. */
const someCall = (pick: number, { calls }: Story): string => `t${pick % (calls + 1)}`;
const someWords = (pick: number): string => `text ${pick % 4}`;

const EVENTS = {
  prompt: (pick) => build.prompt(someWords(pick)),
  answer: (pick) => build.answer(someWords(pick)),
  tools: (pick, story) => {
    const ids = Array.from({ length: 1 + (pick % 3) }, () => `t${++story.calls}`);
    return build.toolUses(...ids);
  },
  result: (pick, story) => build.resultFor(someCall(pick, story)),
  failure: (pick, story) => build.resultFor(someCall(pick, story), "no", true),
  moreOfMessage: (pick, { drafts }) => {
    const message = { id: `m${pick % (drafts.length + 1)}`, content: [{ type: "text", text: "more" }] };
    return [{ type: "assistant", message }];
  },
  interrupt: () => build.interrupt(),
  command: () => build.command("cost"),
  commandOutput: () => build.commandOutput("$1"),
  compaction: () => build.compaction(),
  turnDuration: () => build.turnDuration(),
  attachment: () => build.attachment(),
  progress: () => build.progress(),
  queuedPrompt: (pick) => build.queuedPrompt(someWords(pick)),
  enqueue: (pick) => build.queueOperation("enqueue", someWords(pick)),
  dequeue: () => build.queueOperation("dequeue"),
  remove: (pick) => build.queueOperation("remove", pick % 2 ? someWords(pick) : undefined),
  hint: (pick, { records }) => build.leafHint(`u${pick % (records + 2)}`),
  title: (pick) => build.title(someWords(pick)),
  future: () => [{ type: "invented-later" }],
  agentPrompt: (pick) => build.inSidechain(`agent${pick % 2}`, build.prompt("task")),
  agentAnswer: (pick) => build.inSidechain(`agent${pick % 2}`, build.answer("done")),
  agentProgress: (pick) => build.inSidechain(`agent${pick % 2}`, build.progress()),
} satisfies Record<string, MakeDraft>;

const common = ["prompt", "answer", "tools", "result"] as const;
const anyEvent: fc.Arbitrary<Event> = fc.record({
  kind: fc.oneof(
    { arbitrary: fc.constantFrom(...common), weight: 2 },
    { arbitrary: fc.constantFrom(...(Object.keys(EVENTS) as (keyof typeof EVENTS)[])), weight: 1 },
  ),
  pick: fc.nat(1000),
  parent: fc.oneof(
    { arbitrary: fc.constant<ParentChoice>("previous"), weight: 8 },
    { arbitrary: fc.constantFrom<ParentChoice>("earlier", "root", "missing", "later"), weight: 2 },
  ),
});

/** The lines of a session in which anything may happen: forks, rewinds, compactions, lost parents, cycles, disorder. */
export function anySession(maxLength = 25): fc.Arbitrary<string[]> {
  const swaps = fc.array(fc.nat(100), { maxLength: 3 });
  return fc
    .tuple(fc.array(anyEvent, { maxLength }), swaps)
    .map(([events, places]) => disorder(writeStory(events), places));
}

function writeStory(events: readonly Event[]): string[] {
  const story: Story = { drafts: [], records: 0, calls: 0 };
  for (const { kind, pick, parent } of events) {
    const draft = EVENTS[kind](pick, story);
    story.drafts.push(parent === "previous" ? draft : build.continuing(chooseParent(parent, pick, story), draft));
    story.records += build.rowsOf(draft).filter(({ uuid }) => uuid !== null).length;
  }
  return build.writeLines(story.drafts);
}

function chooseParent(choice: ParentChoice, pick: number, { records }: Story): string | null {
  switch (choice) {
    case "earlier":
      return `u${1 + (pick % (records + 1))}`;
    case "later":
      return `u${records + 1 + (pick % 4)}`;
    case "missing":
      return "nowhere";
    default:
      return null;
  }
}

/** Some lines change places with the next one, as writers that race leave them. */
function disorder(lines: readonly string[], places: readonly number[]): string[] {
  const mixed = [...lines];
  for (const place of places) {
    const at = place % Math.max(1, mixed.length - 1);
    mixed.splice(at, 2, ...mixed.slice(at, at + 2).reverse());
  }
  return mixed;
}
