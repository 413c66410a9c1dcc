import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { fetchPage, isPrivateAddress } from "../../../../src/agent/tools/web/fetch-page.js";
import { htmlToMarkdown } from "../../../../src/agent/tools/web/html-to-markdown.js";
import { startChat } from "../../chat-world.js";

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const place = request.url ?? "";
    if (place === "/moved") response.writeHead(302, { location: "/page" }).end();
    else if (place === "/away") response.writeHead(302, { location: "http://elsewhere.invalid/" }).end();
    else if (place === "/gone") response.writeHead(404).end();
    else if (place === "/circle") response.writeHead(302, { location: "/circle" }).end();
    else if (place === "/metadata") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
    else if (place === "/inward") response.writeHead(302, { location: "file:///etc/passwd" }).end();
    else if (place === "/huge") response.writeHead(200).end(Buffer.alloc(11 * 1024 * 1024, "a"));
    else if (place === "/binary") response.writeHead(200, { "content-type": "image/png" }).end("\u0089PNG\u0000");
    else if (place === "/old")
      response
        .writeHead(200, { "content-type": "text/html; charset=iso-8859-1" })
        .end(Buffer.from("<h1>Prices</h1><p>Tea is <b>3</b>. Caf\u00e9</p>", "latin1"));
    else response.writeHead(200, { "content-type": "text/html" }).end("<h1>Prices</h1><p>Tea is <b>3</b>.</p>");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fetchWith(path: string, allowsPrivateAddresses: boolean): Promise<string> {
  const url = (await serve()) + path;
  const world = await startChat(
    (request) => {
      if (JSON.stringify(request.system).includes("You read one web page"))
        return { blocks: [{ text: "Tea costs 3." }] };
      const isFirst = request.messages.length === 1;
      return {
        blocks: isFirst ? [{ call: "WebFetch", input: { url, prompt: "What does tea cost?" } }] : [{ text: "Done." }],
      };
    },
    {},
    { allowsPrivateAddresses },
  );
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  const asked = world.api.requests.find(({ system }) => JSON.stringify(system).includes("You read one web page"));
  expect(asked === undefined || JSON.stringify(asked.messages).includes("# Prices\\n\\nTea is **3**.")).toBe(true);
  return world.file.session.turns[0]?.toolCalls[0]?.result ?? "";
}

test.each([
  ["/page", "Tea costs 3."],
  ["/moved", "Tea costs 3."],
  ["/away", "moved to another host: http://elsewhere.invalid/"],
  ["/metadata", "moved to another host: http://169.254.169.254/latest"],
  ["/gone", "answered 404"],
  ["/circle", "redirects more than 5 times"],
  ["/inward", "Not a web address"],
  ["/huge", "larger than 10 MB"],
  ["/binary", "is not text"],
])("a page at %s is answered with %s", async (path, text) => {
  expect(await fetchWith(path, true)).toContain(text);
});

test("a page in an older encoding is read in it", async () => {
  const url = `${await serve()}/old`;
  const world = await startChat(
    (request) => ({
      blocks:
        request.messages.length === 1 && !JSON.stringify(request.system).includes("You read one web page")
          ? [{ call: "WebFetch", input: { url, prompt: "?" } }]
          : [{ text: "ok" }],
    }),
    {},
    { allowsPrivateAddresses: true },
  );
  await world.send("go");
  expect(JSON.stringify(world.api.requests.map(({ messages }) => messages))).toContain("Café");
});

test("this machine is not fetched from unless that is allowed", async () => {
  expect(await fetchWith("/page", false)).toContain("private network");
});

test.each(["localhost", "2130706433", "0x7f.1", "0", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]"])(
  "this machine is not reached by the name %s either",
  async (host) => {
    const url = `http://${host}:${new URL(await serve()).port}/page`;
    const { signal } = new AbortController();
    await expect(fetchPage(url, { allowsPrivate: false, signal })).rejects.toThrow("private network");
  },
);

test.each(["nothing", "half a page"])("a page that comes too slowly is given up after %s came", async (sent) => {
  const deadline = new AbortController();
  const server = createServer((_, response) => {
    if (sent !== "nothing") response.writeHead(200, { "content-type": "text/html" }).write(sent);
    setImmediate(() => deadline.abort());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { signal } = new AbortController();
  const fetching = fetchPage(url, { allowsPrivate: true, signal, deadline: deadline.signal });
  await expect(fetching).rejects.toThrow(`${url} took more than 30 s.`);
});

test("a page is given at most 30 s", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => timeout.mockRestore());
  const { signal } = new AbortController();
  await fetchPage(`${await serve()}/page`, { allowsPrivate: true, signal });
  expect(timeout.mock.calls).toEqual([[30_000]]);
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "192.168.0.1",
  "::1",
  "fd00::1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "::7f00:1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "0.0.0.0",
  "not an address",
])("%s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each(["8.8.8.8", "2606:4700::1111"])("%s is not", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test("a page becomes Markdown, without its scripts and with its code as it is", () => {
  const html =
    '<head><title>x</title></head><script>bad()</script><h2>A &amp; B</h2><ul><li>one</li><li><a href="/two">two</a></li></ul><pre><code>if (a &lt; b) {\n  go();\n}</code></pre>';
  expect(htmlToMarkdown(html)).toBe("## A & B\n\n- one\n- [two](/two)\n\n```\nif (a < b) {\n  go();\n}\n```");
});

test.each(["<!--", "<script ", "<a href=", "<a b", '<a b="', "<b>", "<pre>", "<", "&", "<td> ", "x ", "<![CDATA["])(
  "a page of nothing but %s is read in one pass",
  (piece) => {
    expect(htmlToMarkdown(piece.repeat(200_000)).length).toBeLessThan(2_000_000);
  },
);

test("tables, pictures, breaks and emphasis stay readable", () => {
  const html =
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p>x<br>y <em>z</em> &mdash; 1 < 2</p><img src=p alt='a cat'><!-- no --><STYLE>p{}</STYLE>";
  expect(htmlToMarkdown(html)).toBe("a | b\n\n1 | 2\n\nx\ny *z* — 1 < 2\n\n![a cat]");
});

const SEARCHED = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "tea" } };

async function searchFor(found: unknown, stop: string): Promise<string> {
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: found };
  const world = await startChat((request) => {
    const isFirst = request.messages.length === 1;
    if (JSON.stringify(request.tools).includes("web_search_20250305")) {
      return isFirst
        ? { blocks: [{ raw: SEARCHED }, { raw: result }], stop }
        : { blocks: [{ text: "Tea is a drink." }] };
    }
    return { blocks: isFirst ? [{ call: "WebSearch", input: { query: "tea" } }] : [{ text: "Done." }] };
  });
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  return world.file.session.turns[0]?.toolCalls[0]?.result ?? "";
}

test("a search that pauses is asked to go on", async () => {
  const found = [{ type: "web_search_result", title: "Tea", url: "https://tea.example" }];
  const result = await searchFor(found, "pause_turn");
  expect(result).toContain("https://tea.example");
  expect(result).toContain("Tea is a drink.");
});

test("a search that pauses before anything was found is asked to go on with it", async () => {
  const found = [{ type: "web_search_result", title: "Tea", url: "https://tea.example" }];
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: found };
  const world = await startChat((request) => {
    const isFirst = request.messages.length === 1;
    if (!JSON.stringify(request.tools).includes("web_search_20250305"))
      return { blocks: isFirst ? [{ call: "WebSearch", input: { query: "tea" } }] : [{ text: "Done." }] };
    return isFirst
      ? { blocks: [{ raw: SEARCHED }], stop: "pause_turn" }
      : { blocks: [{ raw: result }, { text: "Tea." }] };
  });
  await world.send("go");
  expect(world.api.problems).toEqual([]);
  expect(world.file.session.turns[0]?.toolCalls[0]?.result).toContain("https://tea.example");
});

test("a search that fails says why", async () => {
  const failed = { type: "web_search_tool_result_error", error_code: "unavailable" };
  expect(await searchFor(failed, "end_turn")).toContain("The search failed: unavailable");
});

test("a search on the web is done by the API, and its links are kept", async () => {
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", title: "Tea", url: "https://tea.example" }],
  };
  const world = await startChat((request) => {
    if (JSON.stringify(request.tools).includes("web_search_20250305")) {
      return { blocks: [{ raw: SEARCHED }, { raw: found }, { text: "Tea is a drink." }] };
    }
    const isFirst = request.messages.length === 1;
    return { blocks: isFirst ? [{ call: "WebSearch", input: { query: "tea" } }] : [{ text: "Done." }] };
  });
  await world.send("go");
  const [call] = world.file.session.turns[0]?.toolCalls ?? [];
  expect(call?.result).toContain('Links: [{"title":"Tea","url":"https://tea.example"}]');
  expect(call?.resultData).toMatchObject({ query: "tea", results: [{ tool_use_id: "srvtoolu_1" }, "Tea is a drink."] });
});
