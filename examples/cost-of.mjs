// What tokens cost, by the bundled prices or by your own. Without a price it is null, never 0.
import { costOf } from "turnlog";

const usage = { input: 2_000, output: 500, cacheRead: 90_000, cacheWrite5m: 4_000, cacheWrite1h: 0 };
const rates = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 2, cacheWrite1h: 3 }; // USD per million tokens
const own = { asOf: "2026-01-01", prices: [{ models: ["our-model"], ...rates }] };

console.log("claude-opus-4-5", costOf(usage, "claude-opus-4-5"));
console.log("by its long name", costOf(usage, "us.anthropic.claude-opus-4-5-20251101-v1:0"));
console.log("our-model", costOf(usage, "our-model"));
console.log("our-model, by our prices", costOf(usage, "our-model", undefined, own));
