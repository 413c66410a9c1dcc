import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type CliResult, type CliWorld, runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { requireFfmpeg } from "./require-ffmpeg.js";

const SIZE = ["--columns", "40", "--rows", "6"];
const [WIDTH, HEIGHT] = [444, 200];

beforeAll(requireFfmpeg, 120_000);

function sessionFile(folder: string): string {
  const path = join(folder, "session.jsonl");
  const records = [
    { type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Say hello in 中文" } },
    {
      type: "assistant",
      uuid: "u2",
      parentUuid: "u1",
      message: { id: "m1", role: "assistant", content: [{ type: "text", text: "你好 & <hello> **world**" }] },
    },
  ];
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return path;
}

function exportVideo(
  format: string,
  target: string | undefined,
  env: Record<string, string> = {},
  world: CliWorld = {},
): Promise<CliResult> {
  const to = target === undefined ? [] : ["-o", target];
  const file = sessionFile(temporaryFolder());
  return runCli(["export", file, "--format", format, "--speed", "3", ...SIZE, ...to], env, world);
}

/** The last frame, three bytes for each pixel. */
function lastFrame(path: string): Buffer {
  const decoded = ["-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"];
  const frames = execFileSync("ffmpeg", ["-v", "error", "-i", path, ...decoded], { maxBuffer: 1e9 });
  return frames.subarray(frames.length - WIDTH * HEIGHT * 3);
}

const pixel = (frame: Buffer, x: number, y: number) => [
  ...frame.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3),
];
const brightness = (frame: Buffer, fromRow: number, toRow: number) =>
  frame.subarray(fromRow * WIDTH * 3, toRow * WIDTH * 3).filter((value) => value > 120).length;

describe("a video", () => {
  test("as gif has exactly our colours, and the words of the session", async () => {
    const target = join(temporaryFolder(), "session.gif");
    expect(await exportVideo("gif", target)).toMatchObject({ exitCode: 0, stdout: "" });
    const frame = lastFrame(target);
    expect(pixel(frame, 2, 100)).toEqual([0x16, 0x18, 0x1d]);
    expect(pixel(frame, WIDTH - 3, 3)).toEqual([0x23, 0x26, 0x2d]);
    expect(pixel(frame, 28, 19)).toEqual([0xf2, 0x77, 0x7a]);
    expect(brightness(frame, 52, 52 + 6 * 22)).toBeGreaterThan(1000);
  });

  test("as mp4 plays at the size of the terminal", async () => {
    const target = join(temporaryFolder(), "session.mp4");
    expect((await exportVideo("mp4", target)).exitCode).toBe(0);
    expect(lastFrame(target)).toHaveLength(WIDTH * HEIGHT * 3);
    expect(pixel(lastFrame(target), 28, 19)[0]).toBeGreaterThan(200);
  });

  test.each(["mp4", "gif"])("as %s needs a file", async (format) => {
    const { exitCode, stderr } = await exportVideo(format, undefined);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(`turnlog: --format ${format} needs a file\n  add -o session.${format}\n`);
  });

  test("without ffmpeg is refused with the command that installs it", async () => {
    const folder = temporaryFolder();
    const { exitCode, stderr } = await exportVideo("mp4", join(folder, "session.mp4"), { PATH: folder });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^turnlog: videos need ffmpeg, which is not installed\n {2}install it: .*install ffmpeg;/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("that is interrupted leaves nothing behind", async () => {
    const [folder, temporary] = [temporaryFolder(), temporaryFolder()];
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ended = await exportVideo("mp4", join(folder, "session.mp4"), {}, { interrupt: AbortSignal.timeout(1) });
    expect(ended).toEqual({ exitCode: 1, stdout: "", stderr: "turnlog: interrupted\n  nothing was written\n" });
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(temporary).filter((name) => name.startsWith("turnlog-video-"))).toEqual([]);
  });
});
