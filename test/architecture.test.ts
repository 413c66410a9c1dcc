import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

const EVERYTHING = "everything";
/** Single files beside the folders, which import nothing of ours: every folder may import them. */
const BASICS = ["errors", "collections", "lazy", "own-user", "package-folder", "text-width", "user-pattern"];
/** Which folders a folder may import from, besides itself and the basics. Read it as the direction in which data flows. */
const MAY_IMPORT: Record<string, readonly string[] | typeof EVERYTHING> = {
  ...Object.fromEntries(BASICS.map((name) => [name, []])),
  redact: [],
  format: [],
  session: ["format"],
  store: [],
  render: ["format", "session", "redact"],
  library: ["format", "session", "store", "redact"],
  edit: ["format", "session", "store", "redact"],
  trace: ["format", "session", "store", "redact"],
  agent: ["format", "session", "store", "redact", "library", "edit", "render"],
  web: ["render"],
  app: ["format", "session", "store", "redact", "library", "edit", "render", "trace", "agent"],
  server: ["format", "session", "store", "redact", "library", "edit", "render", "trace", "agent", "app"],
  cli: EVERYTHING,
  index: EVERYTHING,
};

/** What a folder may know of another without running any of it. */
const MAY_IMPORT_TYPES: Record<string, readonly string[]> = { web: ["server"], render: ["edit"] };

/** The same between the sub-folders of a folder. `.` are the files that are directly in it. Other folders are free inside. */
const MAY_IMPORT_INSIDE: Record<string, Record<string, readonly string[]>> = {
  format: {
    record: ["."],
    reader: [".", "record"],
    writer: [".", "record", "reader", "layout"],
    layout: [".", "reader"],
    identity: ["record", "reader"],
    git: ["layout"],
    ".": [],
  },
  session: {
    prompts: [],
    messages: [],
    facts: ["prompts"],
    graph: ["prompts", "messages", "facts"],
    turns: ["prompts", "messages", "facts", "graph"],
    ".": ["prompts", "messages", "facts", "graph", "turns"],
    replay: [".", "messages", "graph", "turns"],
    verify: ["messages", "graph", "replay"],
    "file-history": ["messages", "turns"],
    blame: ["file-history"],
  },
  redact: {
    judge: [],
    kinds: [],
    finders: [".", "judge", "kinds"],
    views: ["judge", "finders"],
    ".": ["judge", "finders", "kinds", "views"],
  },
  library: {
    archive: ["."],
    load: ["."],
    watch: ["."],
    cleanup: ["."],
    running: ["."],
    live: [".", "load", "running", "sources"],
    "shared-files": ["."],
    links: [".", "load", "sources", "entries", "catalog"],
    machines: [".", "archive"],
    sources: [".", "load", "archive", "shared-files"],
    entries: [".", "load"],
    catalog: [".", "load", "sources", "entries"],
    "text-index": ["sources", "catalog", "entries"],
    sync: [".", "archive", "load", "sources", "entries", "catalog", "text-index"],
    search: [".", "load", "sources", "entries", "catalog", "text-index"],
    stats: [".", "sources", "entries", "catalog", "sync"],
    budget: [".", "load", "sources", "entries", "catalog", "stats"],
    trash: [".", "load", "archive", "running", "shared-files", "sources", "catalog"],
    ".": ["load", "catalog", "links", "live", "search", "sources", "stats", "watch"], // what index.ts exports
  },
  render: {
    tools: ["."],
    terminal: [".", "tools"],
    markdown: [".", "tools"],
    html: [".", "tools"],
    cast: [".", "tools", "terminal"],
    ".": ["tools", "terminal", "markdown", "html", "cast"], // what index.ts exports
  },
  trace: {
    observe: [],
    spans: ["observe"],
    outbox: ["observe", "spans"],
    hook: ["observe", "spans", "outbox"],
    ".": ["observe", "spans"],
  },
  app: {
    ".": ["organize"],
    changes: ["."],
    edit: ["."],
    export: ["."],
    organize: ["."],
    trace: ["."],
    live: ["."],
    budget: ["."],
    links: ["."],
    travel: [".", "edit", "organize"],
  },
  server: {
    api: [],
    http: ["api"],
    access: ["http"],
    mock: ["access", "http"],
    library: ["api"],
    views: ["api", "http", "library"],
    routes: [".", "api", "http", "access", "library", "views"],
    mcp: [],
    ".": ["api", "http", "access", "library", "views", "routes"],
  },
};

const MAX_FILES_IN_FOLDER = 22;

interface Source {
  readonly path: string;
  readonly area: string;
  readonly file: ts.SourceFile;
}

function sourcePaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const areaOf = (path: string) =>
  relative(SRC, path)
    .replace(/\.tsx?$/, "")
    .split(/[\\/]/)[0] ?? "";

const sources: Source[] = sourcePaths(SRC).map((path) => ({
  path,
  area: areaOf(path),
  file: ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2023, true),
}));

function importsOf({ path, file }: Source): string[] {
  const { importedFiles } = ts.preProcessFile(file.text);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => sourceOf(resolve(dirname(path), name)));
}

function typeImportsOf({ path, file }: Source): string[] {
  return file.statements.filter(ts.isImportDeclaration).flatMap(({ importClause, moduleSpecifier }) => {
    const isType = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return isType && ts.isStringLiteral(moduleSpecifier) ? sourceOf(resolve(dirname(path), moduleSpecifier.text)) : [];
  });
}

function isAllowedAsType(source: Source, target: string): boolean {
  const allowed = MAY_IMPORT_TYPES[source.area]?.includes(areaOf(target)) ?? false;
  return allowed && typeImportsOf(source).includes(target);
}

/** Imports name the compiled file. */
function sourceOf(path: string): string {
  const component = path.replace(/\.js$/, ".tsx");
  return existsSync(component) ? component : path.replace(/\.js$/, ".ts");
}

function isAllowed(from: string, to: string): boolean {
  const allowed = MAY_IMPORT[from];
  return from === to || BASICS.includes(to) || allowed === EVERYTHING || (allowed?.includes(to) ?? false);
}

/** The sub-folder of a source inside its folder. */
const roomOf = (path: string) => {
  const [, ...rest] = relative(SRC, path).split(/[\\/]/);
  return rest.length > 1 ? (rest[0] ?? ".") : ".";
};

function isAllowedInside({ area, path }: Source, target: string): boolean {
  const rules = MAY_IMPORT_INSIDE[area];
  if (!rules || areaOf(target) !== area || roomOf(path) === roomOf(target)) return true;
  return rules[roomOf(path)]?.includes(roomOf(target)) ?? false;
}

function longFunctions({ path, file }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const first = file.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
      const lines = last - first + 1;
      if (lines > MAX_FUNCTION_LINES) found.push(`${relative(ROOT, path)}:${first + 1} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function findCycle(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const walk = (path: string, trail: string[]): string[] => {
    const at = trail.indexOf(path);
    if (at >= 0) return [...trail.slice(at), path];
    if (done.has(path)) return [];
    const cycle = (graph.get(path) ?? []).map((next) => walk(next, [...trail, path])).find((it) => it.length > 0);
    done.add(path);
    return cycle ?? [];
  };
  return [...graph.keys()].map((path) => walk(path, [])).find((it) => it.length > 0) ?? [];
}

describe("the tree", () => {
  test("every source is in a folder that the design names", () => {
    expect(sources.filter(({ area }) => !(area in MAY_IMPORT)).map(({ path }) => path)).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });

  test("imports follow the direction of the design", () => {
    const against = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => target.startsWith(SRC)) // not package.json
        .filter((target) => !isAllowed(source.area, areaOf(target)) && !isAllowedAsType(source, target))
        .map((target) => `${relative(ROOT, source.path)} -> ${relative(ROOT, target)}`),
    );
    expect(against).toEqual([]);
  });

  test("use cases in app know neither the command line nor its options", () => {
    const app = sources.filter(({ area }) => area === "app");
    const packages = (source: Source) =>
      ts.preProcessFile(source.file.text).importedFiles.map(({ fileName }) => fileName);
    const against = app.filter((source) => packages(source).some((name) => /^commander$|\/cli\//.test(name)));
    expect(against.map(({ path }) => relative(ROOT, path))).toEqual([]);
  });

  test("nobody but the session log of the chat holds a recorder", () => {
    const against = sources
      .filter(({ path }) => !path.includes(join("agent", "conversation", "session-log")))
      .filter(({ file }) => /import[^;]*\bRecorder\b[^;]*session-log\/recorder\.js/.test(file.text));
    expect(against.map(({ path }) => relative(ROOT, path))).toEqual([]);
  });

  test("only one place makes redactors, from the user's settings; what is exported for others is the exception", () => {
    const makers = sources
      .filter(({ area }) => area !== "redact")
      .filter(({ file }) => /(?:import|export)\s*\{[^}]*(?<!type )\bcreateRedactor\b[^}]*\}\s*from/.test(file.text))
      .map(({ path }) => relative(ROOT, path).replaceAll("\\", "/"));
    expect(makers.sort()).toEqual(["src/app/redaction.ts", "src/index.ts"]);
  });

  test("imports between sub-folders follow the direction inside their folder", () => {
    const against = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => target.startsWith(SRC) && !isAllowedInside(source, target))
        .map((target) => `${relative(ROOT, source.path)} -> ${relative(ROOT, target)}`),
    );
    expect(against).toEqual([]);
  });

  test(`no folder has more than ${MAX_FILES_IN_FOLDER} files of its own`, () => {
    const folders = sources.map(({ path }) => relative(ROOT, dirname(path)));
    const filesIn = (folder: string) => folders.filter((other) => other === folder).length;
    const large = [...new Set(folders)].filter((folder) => filesIn(folder) > MAX_FILES_IN_FOLDER);
    expect(large).toEqual([]);
  });

  test("no cycles", () => {
    const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
    expect(findCycle(graph).map((path) => relative(ROOT, path))).toEqual([]);
  });

  test(`files have at most ${MAX_FILE_LINES} lines`, () => {
    const long = [...sources.map(({ path }) => path), ...sourcePaths(join(ROOT, "test"))]
      .map((path) => ({ path: relative(ROOT, path), lines: readFileSync(path, "utf8").split("\n").length }))
      .filter(({ lines }) => lines > MAX_FILE_LINES);
    expect(long).toEqual([]);
  });

  test(`functions have at most ${MAX_FUNCTION_LINES} lines`, () => {
    expect(sources.flatMap(longFunctions)).toEqual([]);
  });
});
