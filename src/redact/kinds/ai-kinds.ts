import type { SecretKind } from "./prefix-kind.js";

/** Model providers and the services around them. */
export const aiKinds: readonly SecretKind[] = [
  { kind: "anthropic-key", prefixes: ["sk-ant-"], body: /[\w-]{16,}/ },
  { kind: "openrouter-key", prefixes: ["sk-or-"], body: /(?:v1-)?[0-9a-f]{32,}/ },
  { kind: "langfuse-key", prefixes: ["sk-lf-"], body: /[0-9a-f-]{32,}/ },
  { kind: "openai-key", prefixes: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], body: /[\w-]{20,}/ },
  { kind: "openai-key", prefixes: ["sk-"], body: /[A-Za-z0-9]{32,}(?![\w-])/ },
  { kind: "api-key", prefixes: ["sk-"], body: /(?=[\w-]*\d)[\w-]{20,}/ },
  { kind: "huggingface-token", prefixes: ["hf_"], body: /[A-Za-z0-9]{30,}/ },
  { kind: "huggingface-token", prefixes: ["api_org_"], body: /[A-Za-z0-9]{30,}/ },
  { kind: "replicate-token", prefixes: ["r8_"], body: /[A-Za-z0-9]{32,}/ },
  { kind: "groq-key", prefixes: ["gsk_"], body: /[A-Za-z0-9]{40,}/ },
  { kind: "perplexity-key", prefixes: ["pplx-"], body: /[A-Za-z0-9]{32,}/ },
  { kind: "xai-key", prefixes: ["xai-"], body: /[A-Za-z0-9]{40,}/ },
  { kind: "nvidia-key", prefixes: ["nvapi-"], body: /[\w-]{40,}/ },
  { kind: "cerebras-key", prefixes: ["csk-"], body: /[a-z0-9]{40,}/ },
  { kind: "tavily-key", prefixes: ["tvly-"], body: /(?=[\w-]*\d)[\w-]{24,}/ },
  { kind: "langsmith-key", prefixes: ["lsv2_pt_", "lsv2_sk_"], body: /[0-9a-f]{32}_[0-9a-f]{8,}/ },
  { kind: "elevenlabs-key", prefixes: ["sk_"], body: /[0-9a-f]{48}(?![\w])/ },
  { kind: "pinecone-key", prefixes: ["pcsk_"], body: /[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}/ },
  { kind: "firecrawl-key", prefixes: ["fc-"], body: /[0-9a-f]{32}(?![\w-])/ },
  { kind: "jina-key", prefixes: ["jina_"], body: /[A-Za-z0-9_-]{40,}/ },
  { kind: "wandb-key", prefixes: ["wandb_v1_"], body: /[\w-]{30,}/ },
  { kind: "cursor-key", prefixes: ["key_"], body: /[0-9a-f]{64}(?!\w)/ },
];
