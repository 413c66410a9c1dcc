import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { limitConnections } from "../../../src/server/http/limit-connections.js";

const MOST = 20;

/** `/held` is answered when it is released; `/large` has more than a socket holds. */
async function serve(): Promise<{ server: Server; port: number; release(): void }> {
  const held: (() => void)[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url === "/held") held.push(() => response.end("held"));
    else incoming.resume().on("end", () => response.end(incoming.url === "/large" ? "x".repeat(50_000_000) : "answer"));
  });
  limitConnections(server, MOST);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, release: () => held.forEach((end) => void end()) };
}

async function get(port: number, path = "/"): Promise<string> {
  const asked = request({ port, host: "127.0.0.1", path, agent: false }).end();
  const [response] = await once(asked, "response");
  return text(response);
}

async function open(port: number, sent: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (sent !== "") socket.write(sent);
  return socket;
}

const HALF = {
  nothing: "",
  "half a head": "GET / HT",
  "half a body": "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99\r\n\r\nx",
};

test.each([...Object.entries(HALF), ["an answer that nobody reads", "GET /large HTTP/1.1\r\nhost: a\r\n\r\n"]])(
  "connections with %s keep nobody out",
  async (_name, sent) => {
    const { server, port } = await serve();
    for (let count = 0; count < 3 * MOST; count += 1) (await open(port, sent)).pause();
    await expect.poll(() => openConnections(server)).toBe(MOST);
    for (let count = 0; count < 5; count += 1) expect(await get(port)).toBe("answer");
    expect(await openConnections(server)).toBeLessThanOrEqual(MOST);
  },
);

test("requests that are being answered go on", async () => {
  const { port, release } = await serve();
  const answers = Array.from({ length: 5 }, () => get(port, "/held"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let count = 0; count < 3 * MOST; count += 1) await open(port, "");
  release();
  expect(await Promise.all(answers)).toEqual(Array(5).fill("held"));
});

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
