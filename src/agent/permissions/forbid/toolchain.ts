/** Programs that build and test a project; what the project starts by them is not judged. */
const BUILDERS: Readonly<Record<string, RegExp>> = {
  biome: /^(?:check|ci|format|lint)$/,
  black: /^[^-]/,
  cargo: /^(?:bench|build|check|clean|clippy|doc|fmt|run|test|tree|update)$/,
  eslint: /^[^-]/,
  go: /^(?:build|fmt|list|mod|test|vet)$/,
  jest: /^/,
  make: /^/,
  mypy: /^/,
  npm: /^(?:audit|ci|i|install|ls|outdated|run|start|t|test|uninstall|update)$/,
  pip: /^(?:freeze|install|list|show)$/,
  pip3: /^(?:freeze|install|list|show)$/,
  pnpm: /^(?:add|build|i|install|ls|outdated|run|start|t|test)$/,
  prettier: /^/,
  pytest: /^/,
  ruff: /^(?:check|format)$/,
  tsc: /^/,
  vitest: /^/,
  yarn: /^(?:add|build|install|run|start|test)$/,
};
/** Options of them that are known to name no program. */
export const BUILDER_OPTION =
  /^(?:-[BDgkqsvwxnyp]|-j\d*|--|--(?:all|all-features|all-targets|bail|check|coverage|fix|frozen-lockfile|if-present|ignore-scripts|lib|no-audit|no-emit|noEmit|no-fund|omit=dev|production|quiet|release|run|save-dev|silent|verbose|version|watch|workspace|workspaces|write))$/;

/** Whether it builds or tests a project in a form that names no other program. */
export function isBuilder(name: string, args: readonly string[]): boolean {
  const commands = Object.hasOwn(BUILDERS, name) ? BUILDERS[name] : undefined;
  if (!commands) return false;
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const first = own.find((word) => !word.startsWith("-")) ?? "";
  const isPlain = (word: string) =>
    word.startsWith("-") ? BUILDER_OPTION.test(word) : name !== "make" || !word.includes("=");
  return (commands.test(first) || (first === "" && own.every((word) => word === "--version"))) && own.every(isPlain);
}

/** Compilers, package managers, test runners, linters: what they do is in the files of a project. */
const TOOLS: ReadonlySet<string> = new Set(
  "ant bazel biome black bun bundle c++ cabal cargo cc clang clang++ clang-format clippy-driver cmake composer coverage ctest cypress dart deno dotnet dune elixir esbuild eslint flake8 flutter g++ gcc gem gh ghc go gofmt golangci-lint gradle hatch isort javac jest kotlinc lerna make mcs meson mix mocha msbuild mvn mypy next ng ninja nox npm nx nyc opam oxlint phpunit pip pip3 pipenv playwright pnpm poetry prettier prisma prove pylint pyright pytest rails rake rollup rspec rubocop ruff rustc rustfmt rustup sbt stack stylelint swc swift tox tsc tsx ts-node turbo uv vite vitest vue-tsc webpack xcodebuild yarn zig".split(
    " ",
  ),
);

/** How an interpreter is called with a script of the project: options without a value, and with one, in front of it. */
const INTERPRETERS: Readonly<Record<string, { readonly flags?: RegExp; readonly valued?: RegExp }>> = {
  java: { flags: /^-(?:ea|jar|X[\w:]+)$/, valued: /^-cp$/ },
  lua: {},
  node: {
    flags:
      /^--(?:test|watch|enable-source-maps|no-warnings|trace-warnings|experimental-[\w-]+|expose-gc|max-old-space-size=\d+|import=tsx)$/,
  },
  perl: { flags: /^-[wT]+$/ },
  php: {},
  python: { flags: /^-[BEIOOsuv]+$/ },
  ruby: { flags: /^-[w]+$/ },
};
const PYTHON_MODULE =
  /^(?:black|build|coverage|flake8|isort|mypy|nox|pip|pylint|pytest|ruff|tox|unittest|uvicorn|gunicorn|flask|venv)$/;
/** Options behind which code stands, where it looks like code; options and sub-commands that take nothing else. */
const CODE_OPTION = /^-\w*[ceEpr]$|^--?print$/;
const CODE = /[\s$`;|&<>(){}'"\\]/;
const CODE_WORD =
  /^--?(?:eval|exec|execute|toolexec|call|command|script-shell|node-options)(?:=|$)|^(?:eval|runner|repl|console)$/;
/** Calls, substitutions and several statements, wherever they stand. */
const STATEMENT = /[`;]|\$[({]|[\w\])]\(/;

export type Tool = "opaque" | "code" | undefined;

/** `opaque`: a program of a toolchain that runs files of the project. `code`: code that the command gives it. */
export function toolOf(name: string, args: readonly string[]): Tool {
  const interpreter = name.replace(/^(?:python|pypy)[\d.]*$/, "python").replace(/^nodejs$/, "node");
  if (Object.hasOwn(INTERPRETERS, interpreter)) return interpreted(interpreter, args);
  return TOOLS.has(name) ? (givesCode(args) ? "code" : "opaque") : undefined;
}

/** Whether an argument looks like code that the program would run: of programs of which only the name is known. */
export function givesCode(args: readonly string[]): boolean {
  return args.some(
    (word, at) =>
      CODE_WORD.test(word) || STATEMENT.test(word) || (CODE_OPTION.test(word) && CODE.test(args[at + 1] ?? "")),
  );
}

function interpreted(name: string, args: readonly string[]): Tool {
  const { flags, valued } = INTERPRETERS[name] ?? {};
  if (args.length === 1 && /^(?:--version|-V|-v)$/.test(args[0] ?? "")) return "opaque";
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (name === "python" && word === "-m") return PYTHON_MODULE.test(args[at + 1] ?? "") ? "opaque" : "code";
    if (valued?.test(word)) at += 1;
    else if (!flags?.test(word)) break;
  }
  const script = args[at];
  const isTested = name === "node" && args.includes("--test");
  if (script === undefined) return isTested ? "opaque" : "code";
  return script.startsWith("-") || /^\/(?:dev|proc)\//.test(script) ? "code" : "opaque";
}
