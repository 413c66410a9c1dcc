/** One setting of a git configuration. */
export interface GitSetting {
  readonly section: string;
  /** Of the sub-section; "" without one. */
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

const SECTION = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const ENTRY = /^([a-z][a-z0-9-]*)\s*(?:=\s*(.*))?$/i;

/** The settings of one file in its order; includes are not followed. Undefined for what git would not accept. */
export function parseGitConfig(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let place = { section: "", name: "" };
  for (const line of text
    .replace(/^\uFEFF/, "")
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/)) {
    const heading = SECTION.exec(line.trim());
    if (heading) {
      const [first = "", ...rest] = (heading[1] ?? "").split(".");
      place = { section: first.toLowerCase(), name: heading[2]?.replace(/\\(.)/g, "$1") ?? rest.join(".") };
    }
    const entry = line
      .trim()
      .slice(heading?.[0].length ?? 0)
      .trim();
    if (entry === "" || /^[#;]/.test(entry)) continue;
    const [, key, value = "true"] = ENTRY.exec(entry) ?? [];
    if (key === undefined || place.section === "") return undefined;
    settings.push({ ...place, key: key.toLowerCase(), value: plainValue(value) });
  }
  return settings;
}

/** Without quotes and comments. Escapes stay as they are. */
function plainValue(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"|[#;].*$/g, (_, quoted: string | undefined) => quoted ?? "").trim();
}
