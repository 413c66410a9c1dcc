import { createHash } from "node:crypto";
import { join } from "node:path";
import { temporaryFolder } from "../format/temporary-folder.js";

export const PLANTED_ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

/** A session with an invented token in every place where real ones end up. */
export interface PlantedLibrary {
  readonly root: string;
  readonly path: string;
}

export const SHOWN_PLACES = ["title", "prompt", "tool input", "tool output"] as const;
export const FILE_PLACES = [...SHOWN_PLACES, "tool data", "attachment"] as const;
export const PLACES = [...FILE_PLACES, "sub-agent", "spilled output", "file backup"] as const;
export type Place = (typeof PLACES)[number];

/** In the shape of a GitHub token; put together here so that no scanner takes this file for a leak. */
export function tokenOf(place: Place): string {
  return ["ghp", createHash("sha256").update(place).digest("hex").slice(0, 36)].join("_");
}

export function plantLibrary(): PlantedLibrary {
  const folder = "projects/-home-dev-shop";
  const root = temporaryFolder({
    [`${folder}/${PLANTED_ID}.jsonl`]: sessionText(),
    [`${folder}/${PLANTED_ID}/subagents/agent-a1b2c3d.jsonl`]: agentText(),
    [`${folder}/${PLANTED_ID}/tool-results/toolu_02.txt`]: `one\ntwo ${tokenOf("spilled output")}\n`,
    [`file-history/${PLANTED_ID}/0123456789abcdef@v1`]: `token = "${tokenOf("file backup")}"\n`,
  });
  return { root, path: join(root, folder, `${PLANTED_ID}.jsonl`) };
}

function sessionText(): string {
  const command = `curl -H "Authorization: Bearer ${tokenOf("tool input")}" https://api.example`;
  const result = { type: "tool_result", tool_use_id: "toolu_01", content: `printed ${tokenOf("tool output")}` };
  const attachment = { type: "file", filename: "/home/dev/shop/notes.txt", content: tokenOf("attachment") };
  return toLines([
    { type: "custom-title", customTitle: `Deploy with ${tokenOf("title")}` },
    user(1, `Deploy with ${tokenOf("prompt")} please`),
    answer(2, [{ type: "tool_use", id: "toolu_01", name: "Bash", input: { command } }]),
    { ...user(3, [result]), toolUseResult: { stdout: tokenOf("tool data") } },
    { type: "attachment", ...envelope(4), attachment },
    answer(5, [{ type: "text", text: "Deployed." }]),
  ]);
}

function agentText(): string {
  const lines = [user(1, `Look for ${tokenOf("sub-agent")}`), answer(2, [{ type: "text", text: "Found." }])];
  return toLines(lines.map((line) => ({ ...line, isSidechain: true, agentId: "a1b2c3d" })));
}

function toLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify({ sessionId: PLANTED_ID, ...line })}\n`).join("");
}

function user(number: number, content: unknown): object {
  return { type: "user", ...envelope(number), message: { role: "user", content } };
}

function answer(number: number, content: unknown): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: `msg_${number}`, role: "assistant", model: "claude-opus-4-5", content, usage };
  return { type: "assistant", ...envelope(number), message: { ...message, stop_reason: "end_turn" } };
}

function envelope(number: number): object {
  return {
    uuid: uuidOf(number),
    parentUuid: number === 1 ? null : uuidOf(number - 1),
    timestamp: `2026-05-01T10:00:0${number}.000Z`,
    cwd: "/home/dev/shop",
    version: "2.1.45",
    isSidechain: false,
  };
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number}`;
}
