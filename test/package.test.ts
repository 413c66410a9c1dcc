import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { exportedNames } from "./docs/exported-names.js";

const ROOT = resolve(import.meta.dirname, "..");
const temporary = mkdtempSync(join(tmpdir(), "turnlog-package-"));
const installed = join(temporary, "node_modules", "turnlog");

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** npm is a command script on Windows, which only a shell can start. */
function npmPack(...options: string[]): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--update-notifier=false", "--loglevel=silent", ...options];
  const printed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", shell: process.platform === "win32" });
  return JSON.parse(printed)[0];
}

/** As `npm install` lays it out, with our own copies of what it depends on: a registry may be out of reach. */
function installPackage(): void {
  const { filename } = npmPack("--pack-destination", temporary);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(temporary, filename), "-C", installed, "--strip-components=1"]);
  for (const name of Object.keys(manifest.dependencies)) linkDependency(name);
}

function linkDependency(name: string): void {
  const link = join(temporary, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), link, "junction");
}

/** A folder with a program of this name that does nothing. */
function programFolder(name: string): string {
  const folder = join(temporary, "programs");
  mkdirSync(folder, { recursive: true });
  symlinkSync("/bin/true", join(folder, name));
  return folder;
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
const runNode = (args: readonly string[], cwd: string) =>
  execFileSync(process.execPath, args, { cwd, encoding: "utf8" }).trim();
const namesOf = (specifier: string, cwd: string) => {
  const script = `console.log(Object.keys(await import("${specifier}")).sort().join(" "))`;
  return runNode(["--input-type=module", "--eval", script], cwd);
};

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe("the package", () => {
  const paths = npmPack("--dry-run").files.map(({ path }) => path);

  test.each([
    "dist/bin.js",
    "dist/index.js",
    "dist/library.js",
    "dist/edit.js",
    "dist/agent.js",
    "dist/types/index.d.ts",
    "dist/render.js",
    "dist/trace.js",
    "dist/types/library/index.d.ts",
    "dist/types/edit/index.d.ts",
    "dist/types/render/index.d.ts",
    "dist/types/trace/index.d.ts",
  ])("holds %s", (path) => expect(paths).toContain(path));

  test.each([
    ...["README.md", "LICENSE", "CHANGELOG.md", "package.json"],
    ...[
      ".claude-plugin/marketplace.json",
      "plugin/.claude-plugin/plugin.json",
      "plugin/.mcp.json",
      "plugin/hooks/hooks.json",
    ],
  ])("holds %s", (path) => expect(paths).toContain(path));

  test("holds nothing else", () => {
    const allowed =
      /^(dist\/|demo\/|assets\/fonts\/|(\.claude-)?plugin\/|(README|CHANGELOG)\.md$|LICENSE$|package\.json$)/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  });
});

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const locked: [string, Record<string, unknown>][] = Object.entries(packages);

/** What `npm install turnlog` puts on this machine beside turnlog. */
const installedBeside = locked.flatMap(([path, { dev }]) =>
  path !== "" && !dev && existsSync(join(ROOT, path)) ? [join(ROOT, path)] : [],
);

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes("node_modules"))
    .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);

describe("an install", () => {
  test("has at most ten packages", () => {
    expect(installedBeside.length).toBeGreaterThan(3);
    expect(installedBeside.length + 1).toBeLessThanOrEqual(10);
  });

  test("has at most 40 MB", () => {
    const { unpackedSize } = npmPack("--dry-run");
    const beside = installedBeside.reduce((bytes, folder) => bytes + bytesIn(folder), 0);
    expect((unpackedSize + beside) / 1e6).toBeLessThan(40);
  });

  test("holds the licence of every package that is in the bundle", () => {
    const licences = readFileSync(join(ROOT, "dist", "THIRD-PARTY.txt"), "utf8");
    const bundled = ["@anthropic-ai/sdk", "ajv", "commander", "preact", "unpdf", "zod"];
    expect(bundled.filter((name) => !licences.includes(`\n${name} `) && !licences.startsWith(`${name} `))).toEqual([]);
  });
});

describe("the lock file", () => {
  test("names no package that runs a script when it is installed", () => {
    expect(locked.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    expect(locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  test("names no registry", () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});

describe("the installed package", () => {
  beforeAll(installPackage);

  test.each([
    { specifier: "turnlog", entry: "index.ts" },
    { specifier: "turnlog/library", entry: "library/index.ts" },
    { specifier: "turnlog/edit", entry: "edit/index.ts" },
    { specifier: "turnlog/render", entry: "render/index.ts" },
    { specifier: "turnlog/trace", entry: "trace/index.ts" },
    { specifier: "turnlog/agent", entry: "agent/index.ts" },
  ])("gives $specifier with the documented names", ({ specifier, entry }) => {
    const documented = exportedNames(entry).flatMap(({ name, isType }) => (isType ? [] : [name]));
    expect(namesOf(specifier, temporary)).toBe(documented.toSorted().join(" "));
    expect(namesOf(specifier, ROOT)).toBe(documented.toSorted().join(" "));
  });

  test("tells its version", () => {
    expect(runNode([join(installed, manifest.bin.turnlog), "--version"], temporary)).toBe(manifest.version);
  });

  test("answers an agent that greets it", () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    const args = [join(installed, manifest.bin.turnlog), "mcp", "--demo"];
    const printed = execFileSync(process.execPath, args, { cwd: temporary, encoding: "utf8", input });
    expect(JSON.parse(printed)).toMatchObject({ id: 1, result: { serverInfo: { name: "turnlog" } } });
  });

  test("says what videos need that is not installed with it", () => {
    const args = ["export", "Wishlist page", "--demo", "--format", "mp4", "--output", join(temporary, "video.mp4")];
    const environment = { PATH: programFolder("ffmpeg"), HOME: temporary };
    const { status, stderr } = spawnSync(process.execPath, [join(installed, manifest.bin.turnlog), ...args], {
      encoding: "utf8",
      env: environment,
    });
    expect(stderr).toContain("videos need @resvg/resvg-js, which is not installed");
    expect(stderr).toContain("npm install --global @resvg/resvg-js");
    expect(status).toBe(1);
  });

  test("holds every file of the demo", () => {
    expect(filesIn(join(installed, "demo"))).toEqual(filesIn(join(ROOT, "demo")));
  });

  test("lists the demo sessions that it brings along", () => {
    const listed = runNode([join(installed, manifest.bin.turnlog), "list", "--demo"], temporary);
    expect(listed.split("\n")).toHaveLength(7);
    expect(listed).toContain("lantern-shop: Wishlist page");
  });

  test.each(["list", "show", "export", "verify", "scan", "mcp", "trace", "chat", "doctor"])(
    "has the code of %s",
    (command) => {
      const help = runNode([join(installed, manifest.bin.turnlog), command, "--help"], temporary);
      expect(help).toContain(`Usage: turnlog ${command}`);
    },
  );
});
