import { expect, test } from "vitest";
import { createRedactor } from "../../src/redact/create-redactor.js";

const SECRET = "quartz7Lantern42";

const call = (input: object, name = "Bash") => ({
  message: { content: [{ type: "tool_use", id: "toolu_1", name, input }] },
});
const answer = (content: unknown) => ({
  message: { content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
});

function answered(asked: object, content: unknown): string {
  const redactor = createRedactor({ level: "mask" });
  redactor.json(asked);
  return JSON.stringify(redactor.json(answer(content)));
}

test.each([
  ["cat ~/.pgpass"],
  ["cat ~/.ssh/id_rsa"],
  ["vault kv get -field=pw secret/nas"],
  ["gh auth token"],
  ["op read op://team/nas/word"],
  ["aws configure get aws_secret_access_key"],
  ["printenv DB_PASSWORD"],
  ["echo $NPM_TOKEN"],
])("what %s has printed alone, in the record of its result, is removed", (command) => {
  expect(answered(call({ command }), SECRET)).not.toContain(SECRET);
  expect(answered(call({ command }), [{ type: "text", text: `${SECRET}\n` }])).not.toContain(SECRET);
});

test.each(["/home/dana/.pgpass", "/srv/app/api.token"])(
  "what is alone in %s is removed when that is read",
  (file_path) => {
    expect(answered(call({ file_path }, "Read"), `     1→${SECRET}`)).not.toContain(SECRET);
  },
);

test("it is removed from what Claude Code keeps beside the result, and from a turn with both", () => {
  const redactor = createRedactor({ level: "mask" });
  redactor.json(call({ command: "gh auth token" }));
  redactor.json(answer("tulip#Meadow"));
  expect(redactor.json({ toolUseResult: { stdout: "tulip#Meadow" } })).toEqual({
    toolUseResult: { stdout: "[REDACTED:secret:1]" },
  });
  const turn = { toolCalls: [{ id: "a", name: "Bash", input: { command: "gh auth token" }, result: SECRET }] };
  expect(JSON.stringify(createRedactor({ level: "mask" }).json(turn))).not.toContain(SECRET);
});

test.each([
  ["git rev-parse HEAD", "quartz7Lantern42"],
  ["cat ~/.pgpass", "cat: /home/dana/.pgpass: No such file or directory"],
  ["echo $TOKEN | wc -c", "quartz7Lantern42"],
  ["gh auth token", "no oauth token"],
])("what %s prints stays where it is no secret: %s", (command, printed) => {
  expect(answered(call({ command }), printed)).toContain(printed);
});

test("what was learnt before is removed where nothing names it, earlier too", () => {
  const redactor = createRedactor({ level: "mask" });
  for (const record of [call({ command: "gh auth token" }), answer(SECRET), { text: "password=granite7xHill" }]) {
    redactor.learn(record);
  }
  expect(redactor.report().total ?? 0).toBe(0);
  expect(redactor.text(`I used ${SECRET} and granite7xHill`)).toBe(
    "I used [REDACTED:secret:1] and [REDACTED:password:1]",
  );
});
