import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace, sentMessages, startChat } from "../chat-world.js";
import { git } from "../git/make-repository.js";

const YES = { blocks: [{ text: "Yes." }] };
const systemOf = (request: { system?: unknown } | undefined) => JSON.stringify(request?.system);

test("a resume sends the state of git of the session's beginning, so that the cached beginning is found again", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  git(place.project, "init", "--quiet");
  git(place.project, "add", ".");
  git(place.project, "commit", "--quiet", "--message", "First");
  const first = await startChat([YES], { place });
  await first.send("one");
  await first.opened.chat.close();
  writeFileSync(join(place.project, "new.txt"), "new\n");
  const session = { kind: "resume", path: first.file.path, isFork: false } as const;
  const second = await startChat([YES], { place }, { session });
  await second.send("two");
  expect(systemOf(first.api.requests[0])).toContain("gitStatus");
  expect(systemOf(second.api.requests[0])).toBe(systemOf(first.api.requests[0]));
  expect(second.file.lines.filter(({ promptContext }) => promptContext !== undefined)).toHaveLength(1);
});

test("a new day is told in the conversation, not in the system prompt", async () => {
  const place = makePlace();
  const first = await startChat([YES], { place });
  await first.send("one");
  await first.opened.chat.close();
  const { path } = first.file;
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/"promptContext":\{"date":"[^"]+"/, '"promptContext":{"date":"2020-02-02"'),
  );
  const second = await startChat([YES], { place }, { session: { kind: "resume", path, isFork: false } });
  await second.send("two");
  expect(systemOf(second.api.requests[0])).toContain("Date: 2020-02-02");
  expect(JSON.stringify(sentMessages(second.api))).toContain("Today's date is now");
  expect(second.file.problems).toEqual([]);
});
