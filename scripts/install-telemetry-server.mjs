#!/usr/bin/env node
// Installs a real OpenTelemetry receiver for the trace tests, and prints the file to require.
import { installPackages } from "./install-packages.mjs";

console.log(
  installPackages({
    cache: "telemetry-server",
    packages: ["@genkit-ai/telemetry-server@1.43.0"],
    entry: ["@genkit-ai", "telemetry-server", "lib", "cjs", "index.js"],
    test: "the test of a real receiver",
  }),
);
