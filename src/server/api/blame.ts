/** `GET /api/blame?file=`: what `turnlog blame --json` prints. */
export type { BlameReport as BlameAnswer } from "../../app/links/blame.js";
