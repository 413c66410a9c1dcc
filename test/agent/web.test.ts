import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { htmlToMarkdown } from "../../src/agent/tools/web/html-to-markdown.js";
import { isPrivateAddress } from "../../src/agent/tools/web/private-address.js";
import { startChat } from "./chat-world.js";

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const place = request.url ?? "";
    if (place === "/moved") response.writeHead(302, { location: "/page" }).end();
    else if (place === "/away") response.writeHead(302, { location: "http://elsewhere.invalid/" }).end();
    else if (place === "/gone") response.writeHead(404).end();
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
  ["/gone", "answered 404"],
])("a page at %s is answered with %s", async (path, text) => {
  expect(await fetchWith(path, true)).toContain(text);
});

test("this machine is not fetched from unless that is allowed", async () => {
  expect(await fetchWith("/page", false)).toContain("private network");
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "192.168.0.1",
  "::1",
  "fd00::1",
  "::ffff:10.0.0.1",
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

test("a search on the web is done by the API, and its links are kept", async () => {
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", title: "Tea", url: "https://tea.example" }],
  };
  const searched = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "tea" } };
  const world = await startChat((request) => {
    if (JSON.stringify(request.tools).includes("web_search_20250305")) {
      return { blocks: [{ raw: searched }, { raw: found }, { text: "Tea is a drink." }] };
    }
    const isFirst = request.messages.length === 1;
    return { blocks: isFirst ? [{ call: "WebSearch", input: { query: "tea" } }] : [{ text: "Done." }] };
  });
  await world.send("go");
  const [call] = world.file.session.turns[0]?.toolCalls ?? [];
  expect(call?.result).toContain('Links: [{"title":"Tea","url":"https://tea.example"}]');
  expect(call?.resultData).toMatchObject({ query: "tea", results: [{ tool_use_id: "srvtoolu_1" }, "Tea is a drink."] });
});
