/**
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {import("./sample-text.mjs").SampleText} SampleText
 * @typedef {{ name: string, input: object, content: string, toolUseResult: unknown }} ToolSample
 */

const LARGEST_OUTPUT = 30_000; // clients cut the output of Bash here

/** A tool call with its result: most text of a library is what tools print. @param {Random} random @param {SampleText} text @returns {ToolSample} */
export function sampleToolCall(random, text) {
  const dice = random.next();
  if (dice < 0.38) return readFile(random, text);
  if (dice < 0.68) return runCommand(random, text);
  if (dice < 0.8) return editFile(random, text);
  if (dice < 0.9) return searchFiles(random, text);
  return writeFile(random, text);
}

/** @param {Random} random @param {SampleText} text */
function readFile(random, text) {
  const filePath = text.path();
  const content = text.lines("code", outputLength(random, 2600));
  const lines = content.split("\n");
  const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join("\n");
  const file = { filePath, content, numLines: lines.length, startLine: 1, totalLines: lines.length };
  return { name: "Read", input: { file_path: filePath }, content: numbered, toolUseResult: { type: "text", file } };
}

/** @param {Random} random @param {SampleText} text */
function runCommand(random, text) {
  const stdout = text.lines(random.chance(0.7) ? "log" : "code", outputLength(random, 900));
  return {
    name: "Bash",
    input: { command: `cd ${text.path()} && npm test -- "${text.word()}" | tail -50`, description: text.sentence() },
    content: stdout,
    toolUseResult: { stdout, stderr: "", interrupted: false, isImage: false },
  };
}

/** @param {Random} random @param {SampleText} text */
function editFile(random, text) {
  const filePath = text.path();
  const oldString = text.lines("code", random.skewed(250, 0.8));
  const newString = text.lines("code", random.skewed(320, 0.8));
  const lines = oldString.split("\n").map((line) => `-${line}`);
  return {
    name: "Edit",
    input: { file_path: filePath, old_string: oldString, new_string: newString },
    content: `The file ${filePath} has been updated successfully.`,
    toolUseResult: {
      filePath,
      oldString,
      newString,
      originalFile: text.lines("code", outputLength(random, 4000)),
      structuredPatch: [{ oldStart: 1, oldLines: lines.length, newStart: 1, newLines: 0, lines }],
      userModified: false,
      replaceAll: false,
    },
  };
}

/** @param {Random} random @param {SampleText} text */
function searchFiles(random, text) {
  const content = text.lines("paths", outputLength(random, 700));
  const filenames = content.trimEnd().split("\n");
  return {
    name: "Grep",
    input: { pattern: `${text.word()}\\.(${text.word()}|"${text.word()}")`, output_mode: "files_with_matches" },
    content,
    toolUseResult: { mode: "files_with_matches", filenames, numFiles: filenames.length },
  };
}

/** @param {Random} random @param {SampleText} text */
function writeFile(random, text) {
  const filePath = text.path();
  const content = text.lines("code", outputLength(random, 1800));
  return {
    name: "Write",
    input: { file_path: filePath, content },
    content: `File created successfully at: ${filePath}`,
    toolUseResult: { type: "create", filePath, content, structuredPatch: [], originalFile: null },
  };
}

/** @param {Random} random @param {number} median */
function outputLength(random, median) {
  return Math.min(LARGEST_OUTPUT, random.skewed(median, 1.1));
}
