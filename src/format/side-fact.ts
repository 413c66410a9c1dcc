import { asNumber, asString, type JsonObject } from "./json.js";

/** What a side record tells about its session. Those that only serve the client's own screen or log tell `nothing`. */
export type SideFact =
  | { readonly tells: "customTitle" | "aiTitle" | "tag"; readonly text: string | null }
  | { readonly tells: "summary"; readonly text: string; readonly leafUuid: string | null }
  | { readonly tells: "lastPrompt"; readonly text: string | null; readonly leafUuid: string | null }
  | { readonly tells: "cost"; readonly usd: number | null }
  | PullRequestFact
  | { readonly tells: "queue"; readonly operation: string; readonly content: string | null }
  | { readonly tells: "nothing" };

export interface PullRequestFact {
  readonly tells: "pullRequest";
  readonly number: number | null;
  readonly url: string | null;
  readonly repository: string | null;
}

export function toSideFact(type: string, raw: JsonObject): SideFact {
  const text = (key: string) => asString(raw[key]) ?? null;
  switch (type) {
    case "custom-title":
      return { tells: "customTitle", text: text("customTitle") };
    case "ai-title":
      return { tells: "aiTitle", text: text("aiTitle") ?? text("title") };
    case "tag":
      return { tells: "tag", text: text("tag") };
    case "summary":
      return { tells: "summary", text: text("summary") ?? "", leafUuid: text("leafUuid") };
    case "last-prompt":
      return { tells: "lastPrompt", text: text("lastPrompt"), leafUuid: text("leafUuid") };
    case "cost-state":
      return { tells: "cost", usd: asNumber(raw["totalCostUSD"]) ?? null };
    case "pr-link":
      return {
        tells: "pullRequest",
        number: asNumber(raw["prNumber"]) ?? null,
        url: text("prUrl"),
        repository: text("prRepository"),
      };
    case "queue-operation":
      return { tells: "queue", operation: text("operation") ?? "", content: text("content") };
    default:
      return { tells: "nothing" };
  }
}
