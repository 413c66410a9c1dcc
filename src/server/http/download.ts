import type { Pieces } from "../../app/output-file.js";

/** A file to be saved. */
export interface Download {
  readonly fileName: string;
  readonly pieces: Pieces;
}

/** As an attachment: a browser must not render session content as a page. */
export function download({ fileName, pieces }: Download): Response {
  const bytes = asBytes(pieces);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await bytes.return(undefined)),
  });
  return new Response(body, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
    },
  });
}

async function* asBytes(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
