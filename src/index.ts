export { UserError, type UserErrorCode } from "./errors.js";
