/** Detects any script of a session that runs. */
const RUN = "window.owned = true; alert(1)";
const HTML = `</pre></code></script><script>${RUN}</script><img src=x onerror="${RUN}"><svg onload="${RUN}"></svg>`;
const MARKDOWN = [
  `[click](javascript:${encodeURIComponent(RUN)}) [data](data:text/html,<script>${RUN}</script>) <a href="javascript:${RUN}">x</a>`,
  "![picture](https://tracker.example/pixel.png) [safe](https://example.com/) <javascript:alert(1)>",
  "```html\n```` inside\n</code></pre><script>alert(2)</script>\n```",
  "````\n```\nfence in a fence\n```\n````",
].join("\n\n");
const ESCAPES =
  "\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u001b[31mred";
const DIRECTIONS = "\u202eevil\u202c \u2066isolated zero\u200bwidth\ufeff";
const EVIL = `${HTML}\n${MARKDOWN}\n${ESCAPES}\n${DIRECTIONS}`;
const NAME = `"><img src=x onerror="${RUN}">`;

const PICTURES = [
  { type: "image", source: { type: "base64", media_type: "image/png", data: "bm90IGEgcGljdHVyZQ==" } },
  { type: "image", source: { type: "base64", media_type: `image/png" onerror="${RUN}`, data: "iVBORw0KGgo=" } },
  { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: toBase64(`<svg onload="${RUN}"/>`) } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: `"><script>${RUN}</script>` } },
  { type: "image", source: { type: "url", url: "https://tracker.example/a.png" } },
];

const CALLS = [
  { name: "Bash", input: { command: EVIL, description: NAME } },
  { name: "Write", input: { file_path: `/tmp/${NAME}.html`, content: EVIL } },
  { name: "Edit", input: { file_path: `/tmp/${NAME}.ts`, old_string: HTML, new_string: EVIL } },
  { name: "WebSearch", input: { query: EVIL } },
  { name: "TodoWrite", input: { todos: [{ content: EVIL, status: "pending" }] } },
  { name: NAME, input: { [NAME]: EVIL, "</script>": "</script>" } },
];

/** A session in which every text tries to break out of the page: names, ids, times, code, images. */
export function hostileSession(longLine: number): string {
  const calls = CALLS.map((call, index) => ({ type: "tool_use", id: `${NAME}${index}`, ...call }));
  const results = calls.map(({ id }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: [{ type: "text", text: EVIL }, ...PICTURES],
  }));
  const long = [{ type: "tool_use", id: "long", name: "Bash", input: { command: "cat long" } }];
  const lines = [
    { type: "custom-title", customTitle: `title ${NAME}` },
    { type: "pr-link", prUrl: `javascript:${RUN}`, prNumber: 1, prRepository: NAME },
    record("user", "1", null, [{ type: "text", text: EVIL }, ...PICTURES]),
    record("assistant", "2", "1", [{ type: "thinking", thinking: EVIL }, { type: "text", text: EVIL }, ...calls]),
    record("user", "3", "2", results, { toolUseResult: { stdout: EVIL, structuredPatch: [{ lines: [`+${EVIL}`] }] } }),
    record("assistant", "4", "3", long),
    record("user", "5", "4", [{ type: "tool_result", tool_use_id: "long", content: `<b>${"x".repeat(longLine)}</b>` }]),
    record("assistant", "6", "5", [{ type: "text", text: "The end." }, { type: `hologram${NAME}` }]),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function record(type: string, id: string, parent: string | null, content: unknown, more: object = {}): object {
  return {
    type,
    uuid: `${id}${NAME}`,
    parentUuid: parent === null ? null : `${parent}${NAME}`,
    timestamp: `2026-01-01T00:00:0${id}.000Z`,
    cwd: `/home/dev/${NAME}`,
    gitBranch: NAME,
    version: `9${NAME}`,
    message: { id: `msg_${id}${NAME}`, role: type, model: `claude${NAME}`, content },
    ...more,
  };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
