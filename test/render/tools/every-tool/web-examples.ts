import type { MadeExample } from "./made-example.js";

const links = [
  { title: "Floating-point guide", url: "https://example.org/floats" },
  { title: "Money in cents | a blog", url: "https://example.com/cents?a=1&b=2" },
];
const ANSWER = "Both say the same: **count cents**.";

/** The web, services, and tools that nobody knows. */
export const WEB_EXAMPLES: readonly MadeExample[] = [
  {
    name: "WebFetch",
    input: { url: "https://example.org/floats", prompt: "Why is 0.1 + 0.2 not 0.3?" },
    content: "Binary fractions cannot hold **0.1**:\n\n- it is rounded\n- sums drift",
    data: {
      bytes: 15_360,
      code: 200,
      codeText: "OK",
      result: "Binary fractions cannot hold **0.1**:\n\n- it is rounded\n- sums drift",
      durationMs: 2100,
      url: "https://example.org/floats",
    },
  },
  {
    name: "WebFetch",
    input: { url: "https://example.org/gone", prompt: "What is there?" },
    content: "Request failed with status code 404",
    data: "Error: Request failed with status code 404",
    isError: true,
  },
  {
    name: "WebSearch",
    input: { query: "money as floats", allowed_domains: ["example.org", "example.com"] },
    content: `Web search results for query: "money as floats"\n\nLinks: ${JSON.stringify(links)}\n\n${ANSWER}\n\nREMINDER: You MUST include the sources above in your response to the user using markdown hyperlinks.`,
    data: {
      query: "money as floats",
      results: [{ tool_use_id: "srvtoolu_1", content: links }, ANSWER],
      durationSeconds: 3.2,
    },
  },
  {
    name: "WebSearch",
    input: { query: "money as floats" },
    content: `Web search results for query: "money as floats"\n\nLinks: ${JSON.stringify(links)}\n\n${ANSWER}\n\nREMINDER: You MUST include the sources above in your response to the user using markdown hyperlinks.`,
  },
  {
    name: "web_search",
    input: { query: "money as floats" },
    content: links.map((link) => ({
      type: "web_search_result",
      ...link,
      page_age: "2 days",
      encrypted_content: "Ej8K",
    })),
  },
  {
    name: "mcp__tracker__get_issue",
    input: { project: "SHOP", number: 12 },
    content: [{ type: "text", text: '{"number":12,"title":"Cents are lost","labels":["bug"],"open":true}' }],
    data: [{ type: "text", text: '{"number":12,"title":"Cents are lost","labels":["bug"],"open":true}' }],
  },
  {
    name: "mcp__tracker__get_issue",
    input: { project: "SHOP", number: 13 },
    content: "MCP error -32602: there is no issue 13",
    data: "Error: MCP error -32602: there is no issue 13",
    isError: true,
  },
  {
    name: "mcp__claude_ai_Drive__read_file",
    input: { path: "prices.csv" },
    content: [{ type: "text", text: "name,price\ntea,4.50\ncake,12.00" }],
    data: { content: [{ type: "text", text: "name,price\ntea,4.50\ncake,12.00" }], structuredContent: { rows: 2 } },
  },
  {
    name: "ToolSearch",
    input: { query: "select:WebFetch", max_results: 5 },
    content: [{ type: "tool_reference", tool_name: "WebFetch" }],
    data: { matches: ["WebFetch"], query: "select:WebFetch", total_deferred_tools: 21 },
  },
  {
    name: "ListMcpResourcesTool",
    input: { server: "tracker" },
    content: '[{"uri":"issue://12","name":"Cents are lost","mimeType":"application/json","server":"tracker"}]',
    data: [{ uri: "issue://12", name: "Cents are lost", mimeType: "application/json", server: "tracker" }],
  },
  {
    name: "ToolOfTomorrow",
    input: { target: "cart", options: { deep: true, levels: [1, 2, 3] } },
    content: "done in 3 steps\nnothing is left to do",
    data: { steps: 3 },
  },
  { name: "ToolOfTomorrow", input: "words instead of an object", content: [], data: null },
];
