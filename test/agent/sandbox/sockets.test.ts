import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { requireBubblewrap } from "./require-bubblewrap.js";
import { openWorld } from "./sandbox-world.js";

beforeAll(requireBubblewrap, 300_000);

/** A program outside, such as Docker or an agent for keys. */
async function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.end("reached"));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}

/** Connects to the socket that is its argument (`@`: abstract), and prints what it hears, or why not. */
const CONNECT =
  'require("net").connect(process.argv[2].replace("@", "\\0")).on("error", (e) => console.log(e.code)).on("data", (text) => console.log(String(text)))';
const SERVE = 'require("net").createServer((s) => s.end("reached")).listen(process.argv[2])';

function openSocketWorld(wanted: Parameters<typeof openWorld>[0] = {}) {
  const world = openWorld(wanted);
  writeFileSync(join(world.project, "connect.cjs"), CONNECT);
  writeFileSync(join(world.project, "serve.cjs"), SERVE);
  return world;
}

describe("sockets of other programs", { timeout: 60_000 }, () => {
  test.each([false, true])("cannot be reached wherever they are, with network: %s", async (allowsNetwork) => {
    const { run, folder, project } = openSocketWorld({ allowsNetwork });
    const sockets = [join(folder, "beside/s.sock"), join(project, "with space.sock"), `\0abstract-${process.pid}`];
    await Promise.all(sockets.map(listen));
    const tries = sockets.map((path) => `node connect.cjs '${path.replace("\0", "@")}'`);
    expect((await run(tries.join("\n"))).text).toBe("EPERM\nEPERM\nEPERM\n");
  });

  test("cannot be sent to by a pair of sockets for datagrams", async () => {
    const { run, folder } = openSocketWorld();
    const pair = (kind: string) => `socketpair(my $a, my $b, AF_UNIX, ${kind}, 0) or print "$!\\n"`;
    const target = join(folder, "beside/d.sock");
    const { text } = await run(
      `perl -MSocket -e '${pair("SOCK_STREAM")}; ${pair("SOCK_SEQPACKET")}; ${pair("SOCK_DGRAM")}; send($a, "x", 0, sockaddr_un("${target}")) and print "sent"'`,
    );
    expect(text).toBe("Operation not permitted\n");
  });

  test("cannot be reached by a process that is not under the filter", async () => {
    const { text } = await openSocketWorld().run(
      "cat /proc/[0-9]*/status | grep ^Seccomp: | sort -u; test -e /proc/self/fd/9 && echo open",
    );
    expect(text).toBe("Seccomp:\t2\n");
  });

  test("can be used where the person allows it, of commands among themselves as well", async () => {
    const { run, folder } = openSocketWorld({ allowsUnixSockets: true });
    await listen(join(folder, "beside/s.sock"));
    const own =
      "node serve.cjs own.sock & until [ -S own.sock ]; do sleep 0.1; done; node connect.cjs own.sock; kill %1";
    expect((await run(`node connect.cjs ${join(folder, "beside/s.sock")}; ${own}`)).text).toContain("reached\nreached");
  });
});

test("programs talk to their own processes in the sandbox: channels, workers, pipes and the loopback", async () => {
  const { run, project } = openSocketWorld();
  writeFileSync(join(project, "child.cjs"), 'process.send("from a child")');
  writeFileSync(
    join(project, "parent.cjs"),
    'require("child_process").fork("./child.cjs").on("message", (text) => console.log(text))',
  );
  const loopback =
    'const s = require("http").createServer((q, r) => r.end("by loopback")).listen(0, "127.0.0.1", async () => { console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); process.exit(); })';
  const { text } = await run(
    `node parent.cjs; cat <(echo by a pipe); getent passwd 0 | cut -c1-4; node -e '${loopback}'`,
  );
  expect(text).toBe("from a child\nby a pipe\nroot\nby loopback\n");
}, 60_000);
