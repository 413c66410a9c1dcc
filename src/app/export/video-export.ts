import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../errors.js";
import { packageFolder } from "../../package-folder.js";
import { timeSteps } from "../../render/cast/cast-steps.js";
import { loadGlyphs } from "../../render/cast/glyphs.js";
import { sessionSteps } from "../../render/cast/session-cast.js";
import { createFramePainter, videoFrames } from "../../render/cast/video-frames.js";
import type { ShownSession } from "../../render/show-session.js";
import { toSpan } from "../../render/terminal/spans.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";
import { cutToColumns } from "../../text-width.js";
import type { Environment } from "../settings.js";
import { toRecordingOptions } from "./cast-export.js";
import type { FormatOptions } from "./export-formats.js";

/** A GIF counts in hundredths of a second. */
const FRAMES_PER_SECOND: Readonly<Record<VideoFormat, number>> = { mp4: 15, gif: 10 };

export interface VideoOptions {
  readonly options: FormatOptions;
  readonly environment: Environment;
  readonly onProgress?: (seconds: number) => void;
  readonly signal?: AbortSignal;
}

/** Encoded into a temporary file first: encoders return to the beginning of the file at the end. */
export async function* videoPieces(
  session: ShownSession,
  format: VideoFormat,
  { options, environment, ...control }: VideoOptions,
): AsyncGenerator<Uint8Array> {
  const folder = makeTemporaryFolder("video");
  try {
    await requireFfmpeg(environment);
    const path = join(folder, `session.${format}`);
    const video = await loadVideo(session, options, FRAMES_PER_SECOND[format]);
    await encode(video, startEncoder({ ...video, format, path, env: environment.env }), control);
    yield* createReadStream(path);
  } finally {
    removeTemporary(folder);
  }
}

interface Video {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly frames: Iterable<Uint8Array>;
}

/** Columns for the window buttons, and the same on the other side. */
const BESIDE_TITLE = 20;

async function loadVideo(session: ShownSession, options: FormatOptions, framesPerSecond: number): Promise<Video> {
  const recording = await toRecordingOptions(session, options);
  const { columns, rows, speed } = recording;
  const fonts = join(packageFolder(), "assets", "fonts");
  const glyphs = await loadGlyphs({
    family: "JetBrains Mono",
    files: ["JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"].map((name) => join(fonts, name)),
  });
  const title = cutToColumns(toSpan(session.header.title).text, columns - BESIDE_TITLE);
  const painter = createFramePainter(columns, rows, title, glyphs);
  const outputs = timeSteps(sessionSteps(session, recording), speed);
  const frames = videoFrames(outputs, painter, glyphs, { columns, rows, framesPerSecond });
  return { width: painter.width, height: painter.height, framesPerSecond, frames };
}

async function encode(
  { frames, framesPerSecond }: Video,
  encoder: Encoder,
  { onProgress, signal }: Pick<VideoOptions, "onProgress" | "signal">,
): Promise<void> {
  try {
    let count = 0;
    for (const frame of frames) {
      if (signal?.aborted) throw new UserError("busy", "interrupted", "nothing was written");
      await encoder.write(frame);
      count += 1;
      if (count % framesPerSecond === 0) onProgress?.(count / framesPerSecond);
    }
    await encoder.end();
  } finally {
    encoder.stop();
  }
}

export type VideoFormat = "mp4" | "gif";

interface EncoderOptions {
  readonly format: VideoFormat;
  readonly path: string;
  readonly framesPerSecond: number;
  readonly width: number;
  readonly height: number;
  readonly env: Environment["env"];
}

interface Encoder {
  /** A frame of one byte per pixel, then the palette. The buffer can be reused afterwards. */
  write(frame: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Can be called at any time, also after the end. */
  stop(): void;
}

/** Checked before anything is read. */
async function requireFfmpeg({ env, platform }: Environment): Promise<void> {
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
  return `install it: ${commands[platform] ?? "sudo apt install ffmpeg"}; or use --format cast, which needs no ffmpeg`;
}

const ENCODE: Readonly<Record<VideoFormat, readonly string[]>> = {
  mp4: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"],
  gif: ["-f", "gif"],
};

function startEncoder({ format, path, framesPerSecond, width, height, env }: EncoderOptions): Encoder {
  const input = ["-f", "rawvideo", "-pix_fmt", "pal8", "-s", `${width}x${height}`, "-r", String(framesPerSecond)];
  const args = ["-hide_banner", "-loglevel", "error", ...input, "-i", "pipe:0", ...ENCODE[format], "-y", path];
  const ffmpeg = spawn("ffmpeg", args, { stdio: ["pipe", "ignore", "pipe"], env });
  let complaint = "";
  ffmpeg.stderr.on("data", (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  ffmpeg.stdin.on("error", () => undefined); // the exit code reports it
  const closed = once(ffmpeg, "close").then(([code]) => code);
  const failure = () => {
    const reason = complaint.trim().split("\n").at(-1) ?? "";
    return new UserError("unreadable", "ffmpeg failed to encode the video", reason || "try another version of ffmpeg");
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
