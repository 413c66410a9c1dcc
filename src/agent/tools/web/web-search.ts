import { z } from "zod";
import { arrayAt, stringAt } from "../../../format/json.js";
import { createTool } from "../create-tool.js";
import { ToolError } from "../tool.js";

export const webSearchTool = createTool({
  name: "WebSearch",
  description: "Searches the web and gives what was found with links. Name the sources that you use in your answer.",
  schema: z.object({
    query: z.string().min(2).describe("What to search for"),
    allowed_domains: z.array(z.string()).optional().describe("Only results of these"),
    blocked_domains: z.array(z.string()).optional().describe("No results of these"),
  }),
  isReadOnly: true,
  action: ({ query }) => ({ kind: "search-web", query }),
  async run({ query, allowed_domains, blocked_domains }, { searchWeb, progress }) {
    if (allowed_domains && blocked_domains)
      throw new ToolError("Give allowed_domains or blocked_domains, not both.", true);
    const started = performance.now();
    progress({ type: "query_update", query });
    const blocks = await searchWeb({ query, allowedDomains: allowed_domains, blockedDomains: blocked_domains });
    const results = blocks.flatMap(toResult);
    const links = results.flatMap((result) => (typeof result === "string" ? [] : result.content));
    const failure = blocks.map(toFailure).find((code) => code !== undefined);
    if (links.length === 0 && failure !== undefined) throw new ToolError(`The search failed: ${failure}.`);
    progress({ type: "search_results_received", resultCount: links.length, query });
    const words = results.filter((result) => typeof result === "string").join("\n\n");
    const content = `Web search results for query: "${query}"\n\nLinks: ${JSON.stringify(links)}\n\n${words}`.trim();
    return { content, data: { query, results, durationSeconds: (performance.now() - started) / 1000 } };
  },
});

interface Found {
  readonly tool_use_id: string;
  readonly content: readonly { readonly title: string; readonly url: string }[];
}

/** A failed search has an error code instead of results, such as `max_uses_exceeded` or `unavailable`. */
function toFailure(block: unknown): string | undefined {
  return stringAt(block, "type") === "web_search_tool_result" ? stringAt(block, "content", "error_code") : undefined;
}

function toResult(block: unknown): (Found | string)[] {
  if (stringAt(block, "type") === "text") return [stringAt(block, "text") ?? ""];
  if (stringAt(block, "type") !== "web_search_tool_result") return [];
  const content = arrayAt(block, "content").flatMap((hit) => {
    const url = stringAt(hit, "url");
    return url === undefined ? [] : [{ title: stringAt(hit, "title") ?? url, url }];
  });
  return [{ tool_use_id: stringAt(block, "tool_use_id") ?? "", content }];
}
