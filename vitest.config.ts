import { defineConfig } from "vitest/config";
import { bundledText } from "./scripts/bundled-text.js";

export default defineConfig({
  plugins: [bundledText()],
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: "100%", // by default one core is left idle, which is half of a small machine
    css: true, // pages hold their styles
    globalSetup: ["test/isolate-home.ts"],
    testTimeout: process.env["TURNLOG_SOAK"] ? 1_800_000 : 180_000, // a busy machine is slow
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } }, // a busy machine takes its time to start a process
  },
});
