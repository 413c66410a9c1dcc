import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/isolate-home.ts"],
    testTimeout: process.env["TURNLOG_SOAK"] ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
  },
});
