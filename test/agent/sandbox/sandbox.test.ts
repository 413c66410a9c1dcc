import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { requireBubblewrap } from "./require-bubblewrap.js";
import { openWorld, SECRET } from "./sandbox-world.js";

beforeAll(requireBubblewrap, 300_000);

describe("a command in the sandbox", { timeout: 60_000 }, () => {
  test("writes in the project and in temporary folders, and nowhere else", async () => {
    const { run, folder, project, home } = openWorld();
    const places = [
      join(folder, "beside/file.txt"),
      "/usr/new-file",
      "/etc/new-file",
      "/new-file",
      join(folder, "new"),
    ];
    const written = await Promise.all(places.map((place) => run(`echo changed > ${place}`)));
    expect(written.map(({ exitCode }) => exitCode)).toEqual(places.map(() => 1));
    expect(places.slice(1).filter((path) => existsSync(path))).toEqual([]);
    expect(readFileSync(join(folder, "beside/file.txt"), "utf8")).toBe("as it was");
    expect(await run("echo 2 >> a.txt && echo x > /tmp/x && cat /tmp/x && echo x > ~/x")).toMatchObject({
      text: "x\n",
      exitCode: 0,
    });
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("one\n2\n");
    expect(existsSync(join(home, "x"))).toBe(false);
    expect((await run("cat /tmp/x")).text).toBe("x\n");
  });

  test("reads no key: not of the environment, of other processes, of homes, of Claude Code or of turnlog", async () => {
    const { run, home, configRoot, dataDir } = openWorld();
    const looks = [
      "env",
      "cat /proc/*/environ",
      "cat /proc/1/environ /proc/self/environ",
      `grep -r . ${home} ${configRoot} ${dataDir}`,
      "grep -rs . ~",
    ];
    const seen = await run(looks.map((look) => `${look} 2>&1`).join("\n"));
    expect(seen.text).toContain("TURNLOG=1");
    expect(seen.text).not.toContain(SECRET);
  });

  test("sees only its own processes", async () => {
    const { text } = await openWorld().run(`ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>&1`);
    expect(Number(text.split("\n")[0])).toBeLessThan(8);
    expect(text).toContain("No such process");
  });

  test("has a network only if that is allowed", async () => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
    expect((await openWorld().run(ask)).text).toContain("Connection refused");
    expect((await openWorld({ allowsNetwork: true }).run(ask)).text).toContain("reached");
  });

  test("does not reach sockets of programs outside, as those of tmux and Docker", async () => {
    const { run } = openWorld({ allowsNetwork: true });
    const server = createServer((_, response) => response.end("reached"));
    const socket = join(tmpdir(), "s.sock");
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    expect((await run(`ls ${socket} /run 2>&1`)).text).toContain("No such file");
  });

  test("reads no setting of the system that others may not read, also as root", async () => {
    const { text } = await openWorld().run("cat /etc/shadow /etc/gshadow 2>/dev/null; head -c 4 /etc/passwd");
    expect(text).toBe("root");
  });

  test("cannot get its walls away, also as root", async () => {
    const { run, folder, home } = openWorld();
    const file = join(folder, "beside/file.txt");
    const attempts = [
      "mount -o remount,rw /",
      "mount -o remount,rw,bind /",
      `mount --bind / /tmp && echo changed > /tmp${file}`,
      `umount ${home}`,
      `umount -l ${home}`,
      "umount /tmp",
      "mount -t proc proc /proc",
      "mknod /tmp/disk b 8 0",
      "chroot / true",
      "nsenter -t 1 -a true",
      `unshare -Urm sh -c 'mount -o remount,rw / ; mount -o remount,rw,bind / ; umount -l ${home}; cat ${home}/private.txt; echo changed > ${file}'`,
      `unshare -Ur chroot / sh -c 'echo changed > ${file}'`,
    ];
    const { text } = await run(attempts.map((attempt) => `(${attempt}) 2>&1`).join("\n"));
    await run(`echo changed > ${file}`);
    expect(readFileSync(file, "utf8")).toBe("as it was");
    expect(text).not.toContain(SECRET);
    expect((await run("grep -E 'CapEff|NoNewPrivs' /proc/self/status")).text).toMatch(/CapEff:\t0+\nNoNewPrivs:\t1\n/);
  });

  test("cannot write to settings of the kernel, also as root", async () => {
    const { run } = openWorld();
    const probe = "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null";
    expect((await run(`test -r /proc/sys/kernel/core_pattern && echo readable; ${probe}`)).text).toBe("readable\n");
    expect((await run("test -w /proc/sys/kernel/core_pattern && echo writable")).text).toBe("");
  });

  test("commits, but cannot change what git runs, nor put another repository in its place", async () => {
    const { run, project } = openWorld();
    const config = readFileSync(join(project, ".git/config"), "utf8");
    const identity = "-c user.name=A -c user.email=a@b.c";
    expect(await run(`git add . && git ${identity} commit -qm One && git log --format=%s`)).toMatchObject({
      text: "One\n",
    });
    const attempts = [
      "git config core.fsmonitor evil",
      "echo '[core] fsmonitor = evil' > .git/config",
      "echo evil > .git/hooks/pre-commit",
      "rm -rf .git/hooks",
      "mv .git/hooks .git/other",
      "mv .git other",
      "rm -rf .git/config",
      "mv .git/config .git/old",
      "ln -sf /dev/null .git/config",
    ];
    const { text: succeeded } = await run(
      attempts.map((attempt) => `(${attempt}) 2>/dev/null && echo "${attempt}"`).join("\n"),
    );
    expect(succeeded).toBe("");
    expect(readFileSync(join(project, ".git/config"), "utf8")).toBe(config);
    await run("mkdir evil && cp -r .git/. evil 2>/dev/null; echo ../evil > .git/commondir");
    expect(existsSync(join(project, ".git/commondir"))).toBe(false);
  });

  test("cannot change settings of Claude Code, editors and shells in the project", async () => {
    const names = [".claude/settings.json", ".vscode/tasks.json", ".envrc", ".husky/pre-commit"];
    const { run, project } = openWorld({ files: names });
    await run(
      "for f in .claude/settings.json .envrc .husky/pre-commit; do echo x > $f; rm $f; done; mv .claude c; rm -rf .vscode",
    );
    expect(names.map((name) => readFileSync(join(project, name), "utf8"))).toEqual(names.map(() => "mine"));
  });

  test("cannot make turnlog read a file for it by the note of its working directory, nor wait for a pipe", async () => {
    const { run, home } = openWorld();
    const byLink = await run(`trap - EXIT; rm -f "$0"; ln -s ${home}/private.txt "$0"`);
    expect(byLink.cwd).toBeUndefined();
    const byPipe = await run('trap - EXIT; rm -f "$0"; mkfifo "$0"');
    expect(byPipe.cwd).toBeUndefined();
    expect((await run("mkdir -p deep && cd deep")).cwd).toMatch(/project\/deep$/);
  });

  test("may read more of the home folder where the settings say so, and no key in it", async () => {
    const { run, home } = openWorld({ readable: ["~/private.txt"] });
    expect((await run("cat ~/private.txt")).text).toBe(SECRET);
    expect((await run(`grep -rs . ${home}/.ssh ${home}/.claude ${home}/.claude.json`)).text).toBe("");
  });

  test("ends with all that it started", async () => {
    const { run, project } = openWorld();
    mkdirSync(join(project, "ticks"));
    await run("(while true; do date +%N > ticks/$RANDOM; sleep 0.02; done) & sleep 0.2");
    const before = readdirSync(join(project, "ticks")).length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(before).toBeGreaterThan(0);
    expect(readdirSync(join(project, "ticks")).length).toBe(before);
  });
});
