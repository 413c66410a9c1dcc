import { toStructuredPatch } from "./patch.mjs";

/**
 * What a message of the model is made of. A call's `run` gives its result when the client gets to it:
 * `content` is what the model sees, `data` what the client notes for its screen.
 */
export const think = (text) => ({ kind: "thinking", text });
export const say = (text) => ({ kind: "text", text });

export function bash(command, description, output = "", { seconds = 1.2, exit = 0 } = {}) {
  const run = () => (exit === 0 ? bashSuccess(output) : failure(`Exit code ${exit}\n${output}`));
  return call("Bash", { command, description }, seconds, run);
}

function bashSuccess(stdout, extra = {}) {
  const data = { stdout, stderr: "", interrupted: false, isImage: false, noOutputExpected: stdout === "", ...extra };
  return { content: stdout, isError: false, data };
}

function failure(text) {
  return { content: text, isError: true, data: `Error: ${text}` };
}

export function read(path, { seconds = 0.08 } = {}) {
  return call(
    "Read",
    (space) => ({ file_path: space.absolute(path) }),
    seconds,
    ({ space, client }) => {
      const text = space.read(path);
      const lines = text.replace(/\n$/, "").split("\n");
      const file = {
        filePath: space.absolute(path),
        content: text,
        numLines: lines.length,
        startLine: 1,
        totalLines: lines.length,
      };
      const content = lines.map((line, index) => client.numberLine(line, index + 1)).join("\n");
      return { content, data: { type: "text", file } };
    },
  );
}

export function edit(path, oldString, newString, { seconds = 0.12 } = {}) {
  const input = (space) => ({ file_path: space.absolute(path), old_string: oldString, new_string: newString });
  const run = ({ space }) => {
    const { before, after } = space.edit(path, oldString, newString);
    const filePath = space.absolute(path);
    const structuredPatch = toStructuredPatch(before, after);
    const data = {
      filePath,
      oldString,
      newString,
      originalFile: before,
      structuredPatch,
      userModified: false,
      replaceAll: false,
    };
    return { content: `The file ${filePath} has been updated successfully.`, data };
  };
  return { ...call("Edit", input, seconds, run), changes: path };
}

export function write(path, text, { seconds = 0.1 } = {}) {
  const input = (space) => ({ file_path: space.absolute(path), content: text });
  const run = ({ space }) => {
    space.write(path, text);
    const filePath = space.absolute(path);
    const data = { type: "create", filePath, content: text, structuredPatch: [], originalFile: null };
    return { content: `File created successfully at: ${filePath}`, data };
  };
  return { ...call("Write", input, seconds, run), changes: path };
}

export function grep(pattern, path, filenames) {
  return call(
    "Grep",
    (space) => ({ pattern, path: space.absolute(path) }),
    0.15,
    ({ space }) => {
      const found = filenames.map((name) => space.absolute(name));
      const data = { mode: "files_with_matches", filenames: found, numFiles: found.length };
      return { content: `Found ${found.length} files\n${found.join("\n")}`, data };
    },
  );
}

export function glob(pattern, filenames) {
  return call("Glob", { pattern }, 0.1, ({ space }) => {
    const found = filenames.map((name) => space.absolute(name));
    const data = { filenames: found, durationMs: 14, numFiles: found.length, truncated: false };
    return { content: found.join("\n"), data };
  });
}

const TODOS_CHANGED =
  "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. " +
  "Please proceed with the current tasks if applicable";

/** `before` and `after` are lists of `[content, status]`. */
export function todos(before, after) {
  const toTodo = ([content, status]) => ({ content, status, activeForm: `Working on: ${content}` });
  const newTodos = after.map(toTodo);
  const data = { oldTodos: before.map(toTodo), newTodos };
  return call("TodoWrite", { todos: newTodos }, 0.05, () => ({ content: TODOS_CHANGED, data }));
}

/** A shell command that goes on while the conversation continues; `notify` tells its end. */
export function background(command, description, taskId) {
  const input = { command, description, run_in_background: true };
  return {
    ...call("Bash", input, 0.3, ({ outputFile }) => {
      const content = `Command running in background with ID: ${taskId}. Output is being written to: ${outputFile(taskId)}`;
      return { content, isError: false, data: { ...bashSuccess("").data, backgroundTaskId: taskId } };
    }),
    taskId,
  };
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/** The same call, but the person said no. */
export function denied(refused) {
  const run = ({ client }) => ({
    content: REJECTED,
    isError: true,
    data: "User rejected tool use",
    extra: client.isNew ? { toolDenialKind: "user-rejected" } : {},
  });
  return { ...refused, run, seconds: 6, stops: true, changes: undefined };
}

/** The same call, but Esc was pressed while it ran, as 2.1.45 records it. */
export function stopped(running, seconds) {
  const run = () => failure("Exit code 137\n[Request interrupted by user for tool use]");
  return { ...running, run, seconds, stops: true, changes: undefined };
}

/** A sub-agent; `tell` plays its conversation, whose last text is the report. */
export function agent({ type, description, prompt, model, tell }) {
  const input = { description, subagent_type: type, prompt };
  return call(
    (client) => (client.isNew ? "Agent" : "Task"),
    input,
    0,
    ({ launch, id }) => launch({ type, description, prompt, model, tell, toolUseId: id }),
  );
}

function call(name, input, seconds, run) {
  return { kind: "call", name, input, seconds, run };
}
