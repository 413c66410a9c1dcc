import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { describeCommand } from "../../src/cli/reference/describe-command.js";
import { COMMANDS } from "../../src/cli/registry.js";
import { captureWorld, runCli } from "./run-cli.js";

test.each(["--version", "-V"])("%s is the version of the package", async (option) => {
  expect(await runCli([option])).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test.each(["--help", "-h", "help"])("%s names every command", async (option) => {
  const { stdout, exitCode } = await runCli([option]);
  const listed = [...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
  expect(listed).toEqual(COMMANDS.map(({ name }) => name));
  expect(exitCode).toBe(0);
});

test.each(COMMANDS)("$name --help tells what it does and takes", async ({ name, summary }) => {
  const { stdout, stderr, exitCode } = await runCli([name, "--help"]);
  expect(stdout).toMatch(new RegExp(`^Usage: turnlog ${name} \\[options\\]`));
  expect(stdout).toContain(summary);
  expect(stdout).toContain("--config-dir <folder>");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(await runCli(["help", name])).toEqual({ stdout, stderr, exitCode });
});

test.each(COMMANDS.filter(({ name }) => name !== "hook" && name !== "completion"))(
  "$name --help has examples, and each of their options exists",
  async (entry) => {
    const { io } = captureWorld();
    const { help, options, commands } = await describeCommand(entry, io);
    const examples = help.split("\nExamples:\n")[1]?.split("\n") ?? [];
    const used =
      examples
        .filter((line) => line.includes(`turnlog ${entry.name}`))
        .join("\n")
        .match(/(?<= )--[a-z][\w-]+/g) ?? [];
    const known = [...options, ...commands.flatMap((command) => command.options)].map(({ flag }) => flag);
    expect(examples[0]).toContain("turnlog ");
    expect(used.filter((option) => !known.includes(option))).toEqual([]);
  },
);
