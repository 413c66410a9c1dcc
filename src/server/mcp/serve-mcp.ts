import { Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Io } from "../../app/io.js";
import type { RootOptions } from "../../app/roots.js";
import { type AskedLibrary, openLibrary } from "./asked-library.js";
import { createMcpServer } from "./create-mcp-server.js";

/** Answers on stdin and stdout until stdin ends, or the process is asked to end. */
export async function serveMcp(options: RootOptions, io: Io): Promise<void> {
  const library = await openLibrary(options, io);
  const { server, settled } = createMcpServer(library);
  const input = io.stdin();
  const ended = untilEnd(input, io);
  await server.connect(new StdioServerTransport(input, outputOf(io)));
  refresh(library, io);
  if ((await ended) === "input ended") await settled();
  library.close();
  await server.close();
  input.destroy();
}

/** The first answer need not wait for what can be done before the first question. */
function refresh(library: AskedLibrary, io: Io): void {
  library.refresh().catch((error: unknown) => io.stderr(`turnlog: ${String(error)}\n`));
}

function untilEnd(input: NodeJS.ReadableStream, io: Io): Promise<"input ended" | "interrupted"> {
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve("input ended"));
    io.onInterrupt(() => resolve("interrupted"));
  });
}

function outputOf(io: Io): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      Promise.resolve(io.stdout(chunk)).then(() => done(), done);
    },
  });
}
