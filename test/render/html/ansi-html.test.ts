import { expect, test } from "vitest";
import { ansiHtml } from "../../../src/render/html/components/ansi-html.js";

test("colours of a program's output are painted, and end where it ends them", () => {
  expect(ansiHtml("\u001b[31;1mFAIL\u001b[0m a.ts \u001b[38;5;2mok\u001b[39m")).toBe(
    '<span class="ansi-red ansi-bold">FAIL</span> a.ts <span class="ansi-green">ok</span>',
  );
});

test("colours without a name, other sequences and markup paint nothing", () => {
  expect(ansiHtml("\u001b[38;2;1;2;3mplain\u001b[48;5;9m <b>\u001b[2J")).toBe("plain &lt;b&gt;␛[2J");
});
