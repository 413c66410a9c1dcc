import type MarkdownIt from "markdown-it";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/*
 * A Markdown document must fetch nothing when somebody opens it, whatever reads it: GitHub, GitLab, VS Code, Obsidian, pandoc, or a
 * parser on a web page. They do not agree on what is code, so what could be an image or a tag for any of them is defused
 * wherever that cannot be seen, and a text in which it cannot be told apart is shown as source.
 */

/** The lines with everything outside code defused; null if it stands where only some readers see code. */
export function stopFetching(lines: readonly string[], tokens: readonly Token[]): string[] | null {
  const fences = linesOf(tokens, "fence");
  const indented = linesOf(tokens, "code_block");
  const isDoubtful = lines.some((line, at) => {
    if (fences.has(at)) return false;
    return indented.has(at)
      ? FETCHES.test(line)
      : line.includes("|") && codeSpansIn(line).some((code) => FETCHES.test(code));
  });
  if (isDoubtful || tokens.some((token) => isOpenInside(token, lines))) return null;
  const defused = [...lines];
  for (const token of tokens) if (token.type === "fence" && token.map) defuseFence(defused, token.map[0], token);
  return defused.map((line, at) => (fences.has(at) || indented.has(at) ? line : defuseLine(line)));
}

/** A fence that ends with the list or quotation around it: not all readers end it there. */
function isOpenInside({ type, level, map, markup, content }: Token, lines: readonly string[]): boolean {
  if (type !== "fence" || level === 0 || !map || !FETCHES.test(content)) return false;
  return !(lines[map[1] - 1] ?? "").trimEnd().endsWith(markup) || map[1] - map[0] < 2;
}

function linesOf(tokens: readonly Token[], type: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const token of tokens) {
    if (token.type === type && token.map) for (let at = token.map[0]; at < token.map[1]; at += 1) found.add(at);
  }
  return found;
}

/** An image, an embedded note, or a tag that loads something by itself or by its style. */
const FETCHES =
  /!\[|<\/?(?:img|image|picture|source|video|audio|track|link|style|svg|use|iframe|frame|embed|object|input|body|base|meta|script|html|head|portal|applet|bgsound)\b|<[a-z][^>]*\b(?:style|background|src|poster|href)\s*=/i;

const CODE_SPAN = /(?<![\\`])(`+)(?!`)(?:[^`]|(?!\1(?!`))`+)*?\1(?!`)/g;

function codeSpansIn(line: string): string[] {
  return [...line.matchAll(CODE_SPAN)].map(([code]) => code);
}

/** Every part of a line that is not a code span. */
function defuseLine(line: string): string {
  let defused = "";
  let done = 0;
  for (const { 0: code, index } of line.matchAll(CODE_SPAN)) {
    defused += defuseWords(line.slice(done, index)) + code;
    done = index + code.length;
    if (/^\{/.test(line.slice(done))) defused += "\\"; // `…`{=html} is raw HTML for pandoc
  }
  return defuseStart(defused + defuseWords(line.slice(done)));
}

/** What is escaped already stays, and web addresses in angle brackets. Some readers take an open `<` for the start of a tag. */
function defuseWords(text: string): string {
  return text.replace(RISKS, (found) => {
    if (found === "<") return "&lt;";
    return found.length > 1 ? found : `\\${found}`;
  });
}

const RISKS = /\\[\s\S]|<(?:https?:\/\/|mailto:)[^\s<>"'`]*>|<(?=[a-z/!?])|!(?=\[)|\{(?=[:=.#%{]|[\w-]+=)/gi;

/**
 * Lines between `---` are metadata for pandoc, which may name a style sheet; `:::` opens a block with attributes, `::include` a
 * file on the web.
 */
function defuseStart(line: string): string {
  return line.replace(/^(\s*(?:>\s*)*)(?:-{3,}|\.{3,})\s*$/, "$1***").replace(/^(\s*(?:>\s*)*):(?=:)/, "$1\\:");
}

/** Only languages are kept: other words make a reader draw a diagram or a map, run something, or take the text for HTML. */
function defuseFence(lines: string[], at: number, { markup, info }: Token): void {
  const line = lines[at] ?? "";
  const start = line.indexOf(markup) + markup.length;
  const [word = ""] = info.trim().split(/\s+/);
  if (info.trim() !== "") lines[at] = `${line.slice(0, start)}${toLanguage(word)}`;
}

/** The name of a language that readers only colour; else `text`. */
export function toLanguage(name: string): string {
  return LANGUAGES.has(name.toLowerCase()) ? name : "text";
}

const LANGUAGES: ReadonlySet<string> = new Set(
  `ada apache applescript arduino asm awk bash bat batch bicep c c# c++ cc clj clojure cmake cmd cobol coffeescript comet common-lisp
  conf console cpp cs csharp cson css csv cuda cxx cython d dart delphi diff django docker dockerfile dos dotenv ejs elisp elixir elm
  env erb erlang ex excel exs f90 fish fortran fs fsharp gdscript gherkin git gitignore glsl go golang gql gradle graphql groovy h haml
  handlebars haskell hbs hcl hlsl hpp hs htm html http ignore ini java javascript jinja jl js json json5 jsonc jsonl jsonnet jsp jsx julia
  kotlin kt kts latex less lisp log lua m make makefile markdown matlab md mdx mjs cjs mm move nasm nginx nim nix nu objc objective-c
  objectivec ocaml org pascal patch perl pgsql php pl plain plaintext postgresql powershell prisma prolog properties proto protobuf
  ps ps1 pug puppet purescript pwsh py py3 pycon python python3 qml r racket raku rb regex rego rest rs rst ruby rust sass scala scheme
  scss sed sh shell shell-session shellsession smalltalk sml sol solidity sql sqlite starlark styl stylus svelte swift systemverilog tcl
  terminal terraform tex text tf thrift toml ts tsql tsv tsx twig txt typescript v vb vba verilog vhdl vim vue wasm wat wgsl xhtml xml
  yaml yml zig zsh`.split(/\s+/),
);
