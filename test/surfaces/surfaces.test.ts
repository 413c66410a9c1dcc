import { afterAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.js";
import { leakedIn } from "./leaks.js";
import type { PlaceName } from "./places-of-session.js";
import { type Plant, plantSession } from "./planted-session.js";
import { SURFACES } from "./surfaces.js";

const isSoak = process.env["TURNLOG_SOAK"] === "1";
const SEEDS = isSoak ? seedsOf(process.env["TURNLOG_SEEDS"] ?? "21,22,23") : [21];

function seedsOf(list: string): number[] {
  return list.split(",").map(Number);
}

/** By surface and seed: how many secrets were planted, and which were seen. */
const table = new Map<
  string,
  { readonly seed: number; readonly planted: number; readonly leaked: readonly Plant[] }[]
>();

afterAll(() => {
  if (isSoak) process.stdout.write(paintTable());
});

function paintTable(): string {
  const rows = [...table].map(([name, runs]) => {
    const figures = runs.map(({ planted, leaked }) => {
      const recall = ((100 * (planted - leaked.length)) / planted).toFixed(1);
      return `${recall} % (${planted - leaked.length} of ${planted})`;
    });
    const places = [...new Set(runs.flatMap(({ leaked }) => leaked.map(({ place }) => place)))];
    return `${name.padEnd(18)} ${figures.join("   ")}${places.length > 0 ? `   seen in: ${places.join(", ")}` : ""}\n`;
  });
  return `surface            ${SEEDS.map((seed) => `seed ${seed}`.padEnd(22)).join(" ")}\n${rows.join("")}`;
}

describe.each(SEEDS)("of the secrets of seed %i", (seed) => {
  test.each(Object.entries(SURFACES))("none is seen by %s", async (name, surface) => {
    const session = plantSession(seed);
    const leaked = leakedIn(await surface(session, {}), session.plants);
    table.set(name, [...(table.get(name) ?? []), { seed, planted: session.plants.length, leaked }]);
    expect(leaked).toEqual([]);
  });
});

const FULL = ["--tools", "full", "--thinking", "--branch", "all", "--reveal"];

test.each([
  { what: "show", args: ["show", "ID", ...FULL], atLeast: 25 },
  { what: "show --json", args: ["show", "ID", "--json", "--reveal"], atLeast: 30 },
  { what: "export html", args: ["export", "ID", "--format", "html", "--no-redact"], atLeast: 25 },
  { what: "export md", args: ["export", "ID", "--format", "md", "--no-redact"], atLeast: 25 },
  { what: "export jsonl", args: ["export", "ID", "--format", "jsonl", "--no-redact"], atLeast: 45 },
])("unredacted, $what shows secrets of at least $atLeast places", async ({ args, atLeast }) => {
  const { root, id, plants } = plantSession(21);
  const named = args.map((arg) => (arg === "ID" ? id : arg));
  const { stdout } = await runCli(named, { CLAUDE_CONFIG_DIR: root }, { columns: 120 });
  const places = new Set<PlaceName>(leakedIn(stdout, plants).map(({ place }) => place));
  expect(places.size).toBeGreaterThanOrEqual(atLeast);
});
