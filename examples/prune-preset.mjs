// What a preset takes out.
import { prunePreset } from "turnlog/edit";

console.log(prunePreset("heavy"));
