// What the model of the mock API says: a prompt names a script, and its steps are played one by one.
import { blocksOf } from "../api-rules.mjs";
import { textBlock } from "../mock-api.mjs";

const NAMED = /\[\[(\w+)\]\]/;

/** `cwd` is where the calls find their files. */
export function scriptedModel(cwd) {
  const scripts = scriptsFor(cwd);
  return (body) => {
    if (JSON.stringify(body.system ?? "").includes("sum up a conversation"))
      return [textBlock("# Earlier work\nThe person asked for small things, and they were done.")];
    const { name, step } = placeIn(body.messages);
    const blocks = scripts[name]?.[step] ?? [textBlock(`Understood, step ${step}.`)];
    return blocks.map((block) => (block.type === "tool_use" ? { ...block, id: newId() } : block));
  };
}

/** The last prompt that names a script, and how many answers it has had. */
function placeIn(messages) {
  const at = messages.findLastIndex((message) => message.role === "user" && NAMED.test(lastText(message)));
  const name = at < 0 ? undefined : NAMED.exec(lastText(messages[at]))?.[1];
  return { name, step: messages.slice(at + 1).filter(({ role }) => role === "assistant").length };
}

function lastText(message) {
  return blocksOf(message).findLast(({ type }) => type === "text")?.text ?? "";
}

function newId() {
  return `toolu_${Math.random().toString(36).slice(2, 14).padEnd(12, "0")}`;
}

function scriptsFor(cwd) {
  const call = (name, input) => ({ type: "tool_use", id: "", name, input });
  const read = call("Read", { file_path: `${cwd}/a.txt` });
  const change = (file, content) => [
    [call("Read", { file_path: `${cwd}/${file}` })],
    [call("Write", { file_path: `${cwd}/${file}`, content })],
    [textBlock("Changed.")],
  ];
  const bash = (command) => call("Bash", { command, description: "Run it" });
  return {
    parallel: [
      [thinking("Two things at once."), textBlock("Looking."), read, bash("echo from-bash")],
      [thinking("Now write."), call("Write", { file_path: `${cwd}/b.txt`, content: "written\n" })],
      [textBlock("Both are done.")],
    ],
    single: [[thinking("One by one."), read], [bash("exit 3")], [textBlock("One worked, one failed.")]],
    failing: [
      [call("Read", { file_path: `${cwd}/missing.txt` }), bash("exit 3")],
      [call("NoSuchTool", {}), read],
      [textBlock("Some of it failed.")],
    ],
    agent: [
      [
        textBlock("Handing over."),
        call("Task", { description: "Look", prompt: "[[report]] look at a.txt", subagent_type: "general-purpose" }),
      ],
      [textBlock("The agent has reported.")],
    ],
    report: [[read], [textBlock("It says alpha.")]],
    one: change("a.txt", "ONE\n"),
    two: change("b.txt", "TWO\n"),
    three: change("a.txt", "THREE\n"),
    unread: [[call("Write", { file_path: `${cwd}/a.txt`, content: "UNREAD\n" })], [textBlock("Changed.")]],
    sleepy: [[textBlock("Waiting."), bash("sleep 30; echo slept")], [textBlock("Awake.")]],
  };
}

function thinking(text) {
  return { type: "thinking", thinking: text, signature: Buffer.from(`sig:${text}`).toString("base64") };
}
