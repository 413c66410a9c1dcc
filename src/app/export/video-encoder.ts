import { spawn } from "node:child_process";
import { once } from "node:events";
import { UserError } from "../../errors.js";
import type { Io } from "../io.js";

export type VideoFormat = "mp4" | "gif";

export interface EncoderOptions {
  readonly format: VideoFormat;
  readonly path: string;
  readonly framesPerSecond: number;
  readonly width: number;
  readonly height: number;
  readonly env: Io["env"];
}

export interface Encoder {
  /** A frame of one byte for each pixel, then the palette. It may be changed once it is written. */
  write(frame: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** At any time, also after the end. */
  stop(): void;
}

/** Asked before anything is read, so that nobody waits for nothing. */
export async function requireFfmpeg({ env, platform }: Io): Promise<void> {
  const probe = spawn("ffmpeg", ["-version"], { stdio: "ignore", env });
  const works = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.once("close", (code) => resolve(code === 0));
  });
  if (!works) throw new UserError("not-found", "videos need ffmpeg, which is not installed", installHint(platform));
}

function installHint(platform: NodeJS.Platform): string {
  const commands: Partial<Record<NodeJS.Platform, string>> = {
    darwin: "brew install ffmpeg",
    win32: "winget install ffmpeg",
  };
  return `install it: ${commands[platform] ?? "sudo apt install ffmpeg"}; or export --format cast, which needs nothing`;
}

const ENCODE: Readonly<Record<VideoFormat, readonly string[]>> = {
  mp4: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"],
  gif: ["-f", "gif"],
};

export function startEncoder({ format, path, framesPerSecond, width, height, env }: EncoderOptions): Encoder {
  const input = ["-f", "rawvideo", "-pix_fmt", "pal8", "-s", `${width}x${height}`, "-r", String(framesPerSecond)];
  const args = ["-hide_banner", "-loglevel", "error", ...input, "-i", "pipe:0", ...ENCODE[format], "-y", path];
  const ffmpeg = spawn("ffmpeg", args, { stdio: ["pipe", "ignore", "pipe"], env });
  let complaint = "";
  ffmpeg.stderr.on("data", (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  ffmpeg.stdin.on("error", () => undefined); // the exit code tells
  const closed = once(ffmpeg, "close").then(([code]) => code);
  const failure = () => {
    const reason = complaint.trim().split("\n").at(-1) ?? "";
    return new UserError("unreadable", "ffmpeg could not encode the video", reason || "try another version of ffmpeg");
  };
  return {
    write: (frame) =>
      new Promise((resolve, reject) => {
        ffmpeg.stdin.write(frame, (error) => (error ? closed.then(() => reject(failure())) : resolve()));
      }),
    async end() {
      ffmpeg.stdin.end();
      if ((await closed) !== 0) throw failure();
    },
    stop: () => {
      ffmpeg.kill("SIGKILL");
    },
  };
}
