export { UserError, type UserErrorCode } from "./errors.js";
export { type MessageUsage, scanUsage, type UsageScan } from "./session/scan-usage.js";
export type { Usage } from "./session/usage.js";
