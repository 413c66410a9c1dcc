/** A tool as people call it: of `mcp__server__tool` both names, of which the server's own may hold single underscores. */
export function shownToolName(name: string): string {
  if (name === "") return "(unnamed)";
  const [server = "", ...tool] = name.startsWith("mcp__") ? name.slice("mcp__".length).split("__") : [];
  return server === "" || tool.length === 0 ? name : `${server}: ${tool.join("__")}`;
}
