import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

const LICENCE_FILE = /^(licen[cs]e|copying)(-mit)?(\.(md|txt))?$/i;

/** Writes the licences of all packages whose code is in the bundle beside it. */
export function licences(fileName: string): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const folders = new Set(modules.flatMap((id) => packageOf(id) ?? []));
      const found = [...folders].map(readLicence).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      this.emitFile({ type: "asset", fileName, source: found.map(asText).join("\n\n") });
    },
  };
}

/** The folder of the package that a module belongs to; undefined for code of ours. */
function packageOf(id: string): string | undefined {
  if (!id.includes("/node_modules/")) return undefined;
  let folder = dirname(id.replace(/^\0/, "").replace(/\?.*$/, ""));
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Some packages have further manifests without a name, which only say what kind of modules a folder holds. */
function isPackage(folder: string): boolean {
  const path = join(folder, "package.json");
  return existsSync(path) && "version" in JSON.parse(readFileSync(path, "utf8"));
}

function readLicence(folder: string): Licence {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => LICENCE_FILE.test(entry));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return { name, version, licence: license, text };
}

function asText({ name, version, licence, text }: Licence): string {
  return [`${name} ${version} (${licence})`, "=".repeat(72), text || "(the package holds no text of its licence)"].join(
    "\n",
  );
}
