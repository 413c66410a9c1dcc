/** The highlighter's language for a file name; null if unknown. */
export function languageOf(path: string): string | null {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  const byName = BY_NAME.get(name) ?? NAME_PATTERNS.find(([pattern]) => pattern.test(name))?.[1];
  if (byName !== undefined) return byName;
  const dot = name.lastIndexOf(".");
  return dot < 0 ? null : (BY_EXTENSION.get(name.slice(dot + 1)) ?? null);
}

const NAME_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^dockerfile(\.|$)/, "dockerfile"],
  [/^\.env(\.|$)/, "ini"],
  [/^(ts|js)config.*\.json$/, "jsonc"],
];

const BY_NAME: ReadonlyMap<string, string> = listed({
  makefile: "makefile gnumakefile",
  ruby: "gemfile rakefile podfile vagrantfile",
  groovy: "jenkinsfile",
  cmake: "cmakelists.txt",
  bash: ".bashrc .bash_profile .profile .zshrc .zprofile",
  ini: ".gitconfig .npmrc .editorconfig",
  toml: "cargo.lock poetry.lock uv.lock",
});

const BY_EXTENSION: ReadonlyMap<string, string> = listed({
  typescript: "ts mts cts",
  tsx: "tsx",
  javascript: "js mjs cjs",
  jsx: "jsx",
  python: "py pyi pyw",
  rust: "rs",
  go: "go",
  java: "java",
  kotlin: "kt kts",
  scala: "scala sc",
  groovy: "groovy gradle",
  csharp: "cs",
  fsharp: "fs fsx",
  c: "c h",
  cpp: "cc cpp cxx hh hpp hxx",
  "objective-c": "m mm",
  swift: "swift",
  dart: "dart",
  ruby: "rb rake gemspec",
  php: "php",
  perl: "pl pm",
  lua: "lua",
  r: "r",
  julia: "jl",
  elixir: "ex exs",
  erlang: "erl hrl",
  haskell: "hs",
  ocaml: "ml mli",
  clojure: "clj cljs cljc edn",
  zig: "zig",
  nix: "nix",
  bash: "sh bash zsh",
  fish: "fish",
  powershell: "ps1 psm1",
  bat: "bat cmd",
  sql: "sql",
  graphql: "graphql gql",
  proto: "proto",
  terraform: "tf tfvars hcl",
  html: "html htm xhtml",
  xml: "xml svg xsl xsd plist csproj",
  css: "css",
  scss: "scss",
  sass: "sass",
  less: "less",
  vue: "vue",
  svelte: "svelte",
  astro: "astro",
  markdown: "md markdown",
  mdx: "mdx",
  latex: "tex",
  json: "json webmanifest ipynb",
  jsonc: "jsonc json5",
  jsonl: "jsonl ndjson",
  yaml: "yaml yml",
  toml: "toml",
  ini: "ini cfg conf properties",
  csv: "csv",
  diff: "diff patch",
  makefile: "mk",
  cmake: "cmake",
  vim: "vim",
});

function listed(languages: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(languages).flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
  );
}
