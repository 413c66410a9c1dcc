/** Turns coloured terminal output on stdin into an SVG picture on stdout, for the README. */
import { text } from "node:stream/consumers";

const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const PADDING = 18;
const COLOURS = { 31: "#f47067", 32: "#6bc46d", 33: "#daaa3f", 34: "#6cb6ff", 35: "#dcbdfb", 36: "#56d4dd" };

const lines = (await text(process.stdin)).replace(/\n+$/, "").split("\n");
const columns = Math.max(...lines.map((line) => plain(line).length));
const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * PADDING);
const height = lines.length * LINE_HEIGHT + 2 * PADDING;
const rows = lines.map((line, at) => {
  const y = PADDING + (at + 0.75) * LINE_HEIGHT;
  return `<text x="${PADDING}" y="${y}" xml:space="preserve">${paint(line)}</text>`;
});
console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="turnlog in a terminal">
<rect width="100%" height="100%" rx="8" fill="#1c2128"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd9e5">
${rows.join("\n")}
</g></svg>`);

function plain(line) {
  return line.replace(/\u001b\[[0-9;]*m/g, "");
}

function paint(line) {
  const style = { weight: "", fill: "", opacity: "", slant: "" };
  return line
    .split(/(\u001b\[[0-9;]*m)/)
    .map((part) => {
      const code = /^\u001b\[([0-9;]*)m$/.exec(part)?.[1];
      if (code === undefined) return part === "" ? "" : span(part, style);
      restyle(style, Number(code));
      return "";
    })
    .join("");
}

function restyle(style, code) {
  if (code === 1) style.weight = ' font-weight="bold"';
  if (code === 2) style.opacity = ' fill-opacity="0.6"';
  if (code === 3) style.slant = ' font-style="italic"';
  if (code === 23) style.slant = "";
  if (code === 22 || code === 0) Object.assign(style, { weight: "", opacity: "" });
  if (COLOURS[code]) style.fill = ` fill="${COLOURS[code]}"`;
  if (code === 39 || code === 0) style.fill = "";
}

function span(part, { weight, fill, opacity, slant }) {
  const escaped = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<tspan${weight}${fill}${opacity}${slant}>${escaped}</tspan>`;
}
