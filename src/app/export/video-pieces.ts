import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../errors.js";
import { createFramePainter } from "../../render/cast/frame-painter.js";
import { loadGlyphs } from "../../render/cast/glyphs.js";
import { sessionSteps } from "../../render/cast/session-steps.js";
import { timeSteps } from "../../render/cast/time-steps.js";
import { videoFrames } from "../../render/cast/video-frames.js";
import type { ShownSession } from "../../render/shown-session.js";
import { toSpan } from "../../render/terminal/span.js";
import { cutToColumns } from "../../session/titles.js";
import type { Io } from "../io.js";
import { packageFolder } from "../package-folder.js";
import { toRecordingOptions } from "./cast-pieces.js";
import type { FormatOptions } from "./export-options.js";
import { requireFfmpeg, startEncoder, type VideoFormat } from "./video-encoder.js";

/** A GIF counts in hundredths of a second. */
const FRAMES_PER_SECOND: Readonly<Record<VideoFormat, number>> = { mp4: 15, gif: 10 };

/** Encoded into a temporary file, as encoders go back to its beginning at the end; then handed out. */
export async function* videoPieces(
  session: ShownSession,
  options: FormatOptions,
  format: VideoFormat,
  io: Io,
): AsyncGenerator<Uint8Array> {
  const interrupt = new AbortController();
  const stopListening = io.onInterrupt(() => interrupt.abort());
  const folder = mkdtempSync(join(tmpdir(), "turnlog-video-"));
  try {
    await requireFfmpeg(io);
    const path = join(folder, `session.${format}`);
    await encode(await loadVideo(session, options, FRAMES_PER_SECOND[format]), { format, path, io, interrupt });
    yield* createReadStream(path);
  } finally {
    stopListening();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Video {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly frames: Iterable<Uint8Array>;
}

/** In columns: the buttons of the window, and as much on the other side. */
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

interface Target {
  readonly format: VideoFormat;
  readonly path: string;
  readonly io: Io;
  readonly interrupt: AbortController;
}

async function encode(video: Video, { format, path, io, interrupt }: Target): Promise<void> {
  const { frames, framesPerSecond } = video;
  const encoder = startEncoder({ ...video, format, path, env: io.env });
  try {
    let count = 0;
    for (const frame of frames) {
      if (interrupt.signal.aborted) throw new UserError("busy", "interrupted", "nothing was written");
      await encoder.write(frame);
      count += 1;
      if (io.isTerminal && count % framesPerSecond === 0) io.stderr(`\r\u001b[K${count / framesPerSecond} s recorded`);
    }
    await encoder.end();
  } finally {
    encoder.stop();
    if (io.isTerminal) io.stderr("\r\u001b[K");
  }
}
