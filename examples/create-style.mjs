// Colours for a terminal, or none at all.
import { createStyle } from "turnlog/render";

for (const isColoured of [true, false]) console.log(JSON.stringify(createStyle(isColoured).green("passed")));
