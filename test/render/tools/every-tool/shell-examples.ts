import type { MadeExample } from "./made-example.js";

const STARTED = { stdout: "listening on 8080\nGET / 200\n", stderr: "(node) a warning\n" };

/** Background commands, skills and slash commands. */
export const SHELL_EXAMPLES: readonly MadeExample[] = [
  {
    name: "Bash",
    input: { command: "gh pr create --fill", description: "Open a pull request" },
    content: "https://github.com/acme/shop/pull/12",
    data: {
      stdout: "https://github.com/acme/shop/pull/12",
      stderr: "Warning: 1 uncommitted change",
      interrupted: false,
      isImage: false,
      gitOperation: { pr: { number: 12, url: "https://github.com/acme/shop/pull/12", action: "created" } },
    },
  },
  {
    name: "Bash",
    input: { command: "grep -r nothing src" },
    content: "",
    data: { stdout: "", stderr: "", interrupted: false, isImage: false, returnCodeInterpretation: "No matches found" },
  },
  {
    name: "BashOutput",
    input: { bash_id: "b1" },
    content:
      "<status>running</status>\n\n<stdout>\nlistening on 8080\nGET / 200\n</stdout>\n\n<stderr>\n(node) a warning\n</stderr>\n\n<timestamp>2026-05-01T09:00:03.000Z</timestamp>",
    data: {
      shellId: "b1",
      command: "npm run dev",
      status: "running",
      exitCode: null,
      ...STARTED,
      stdoutLines: 2,
      stderrLines: 1,
      timestamp: "2026-05-01T09:00:03.000Z",
    },
  },
  {
    name: "BashOutput",
    input: { bash_id: "b1", filter: "GET" },
    content: "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\nGET / 200\n</stdout>",
  },
  {
    name: "TaskOutput",
    input: { task_id: "b1", block: true, timeout: 30_000 },
    content:
      "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\nlistening on 8080\n</output>",
    data: {
      retrieval_status: "success",
      task: {
        task_id: "b1",
        task_type: "local_bash",
        status: "completed",
        description: "npm run dev",
        output: "listening on 8080\n",
        exitCode: 0,
      },
    },
  },
  {
    name: "KillShell",
    input: { shell_id: "b1" },
    content: '{"message":"Successfully killed shell: b1 (npm run dev)","shell_id":"b1"}',
    data: { message: "Successfully killed shell: b1 (npm run dev)", shell_id: "b1" },
  },
  {
    name: "KillShell",
    input: { shell_id: "b9" },
    content: "<tool_use_error>No shell found with ID: b9</tool_use_error>",
    data: "Error: No shell found with ID: b9",
    isError: true,
  },
  {
    name: "TaskStop",
    input: { task_id: "b2" },
    content:
      '{"message":"Successfully stopped task: b2 (npm run dev)","task_id":"b2","task_type":"local_bash","command":"npm run dev"}',
    data: {
      message: "Successfully stopped task: b2 (npm run dev)",
      task_id: "b2",
      task_type: "local_bash",
      command: "npm run dev",
    },
  },
  {
    name: "Skill",
    input: { skill: "release-notes", args: "since v1.4" },
    content: "Launching skill: release-notes",
    data: { success: true, commandName: "release-notes" },
  },
  { name: "Skill", input: { command: "pdf" }, content: 'The "pdf" skill is loading' },
  {
    name: "Skill",
    input: { skill: "missing" },
    content: "<tool_use_error>Unknown skill: missing</tool_use_error>",
    data: "Error: Unknown skill: missing",
    isError: true,
  },
  {
    name: "SlashCommand",
    input: { command: "/review 12 --strict" },
    content: "Launching command: /review",
    data: { success: true, commandName: "review", allowedTools: ["Read", "Grep"] },
  },
];
