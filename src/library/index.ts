export { UserError } from "../errors.js";
