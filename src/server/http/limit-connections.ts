import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Keeps at most so many connections open. For a new one, the oldest closes that waits for its client: one that sent no request, or
 * half of one, or that does not read its answer. So connections that send nothing keep nobody out.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Map<Socket, Exchange | undefined>(); // in the order in which they began to wait
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => open.delete(socket));
    if (open.size >= most) (oldestWaiting(open) ?? socket).destroy();
    open.set(socket, undefined);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    open.set(socket, { request, response });
    response.once("close", () => {
      if (!open.delete(socket) || socket.destroyed) return;
      open.set(socket, undefined);
    });
  });
}

function oldestWaiting(open: ReadonlyMap<Socket, Exchange | undefined>): Socket | undefined {
  for (const [socket, exchange] of open) {
    if (!socket.destroyed && (!exchange?.request.complete || exchange.response.writableNeedDrain)) return socket;
  }
  return undefined;
}
