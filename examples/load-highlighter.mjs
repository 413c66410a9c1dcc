// Source code as lines of spans, each with what it is.
import { loadHighlighter } from "turnlog/render";

const highlight = await loadHighlighter();
console.log(highlight('const name = "turnlog";', "javascript"));
console.log(highlight("whatever this is", "no-such-language"));
