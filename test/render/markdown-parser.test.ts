import { expect, test } from "vitest";
import { createMarkdown } from "../../src/render/markdown-parser.js";

const markdown = createMarkdown();

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "//host/x", "x.html"])(
  "%s is no link and no image",
  (address) => {
    expect(markdown.render(`[a](${address}) ![b](${address}) <${address}>`)).not.toMatch(/<a |<img /);
  },
);

test("addresses of the web and of mail are links, also where they stand in the text", () => {
  const html = markdown.render("[a](https://x.example/1) <mailto:b@x.example> http://x.example/2");
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    "https://x.example/1",
    "mailto:b@x.example",
    "http://x.example/2",
  ]);
});

test("HTML is text", () => {
  expect(markdown.render("<script>alert(1)</script>\n\n<b onclick=x>b</b>")).not.toMatch(/<script|<b /);
});
