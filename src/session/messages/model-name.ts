/** Without provider prefix, `[1m]`, version suffix and date: `us.anthropic.claude-opus-4-5-20251101-v1:0`. */
export function plainModelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*[/.](?=claude)/, "")
    .replace(/\[[^\]]*\]$/, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[@-](20\d{6}|latest)$/, "");
}
