import { findAssigned } from "./find-assigned.js";
import { findBasic, findBearer } from "./find-authorization.js";
import { findByPrefix } from "./find-by-prefix.js";
import { commandPasswordFinders } from "./find-command-password.js";
import { findCookie } from "./find-cookie.js";
import { findPrivateKey } from "./find-private-key.js";
import { findSignedUrl } from "./find-signed-url.js";
import { findUrlPassword } from "./find-url-password.js";
import { indexFinders } from "./finder-index.js";
import { type Finding, mergeFindings } from "./finding.js";
import { aiKinds } from "./kinds/ai-kinds.js";
import { businessKinds } from "./kinds/business-kinds.js";
import { cloudKinds } from "./kinds/cloud-kinds.js";
import { codeKinds } from "./kinds/code-kinds.js";
import { messageKinds } from "./kinds/message-kinds.js";
import { standardKinds } from "./kinds/standard-kinds.js";

/** Every secret in a text, in order and without overlap. One scan for anchors, then a close look at each. */
export function findSecretSpans(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = INDEX.nextPlace(text, 0); at >= 0; ) {
    const findings = INDEX.findAt(text, at);
    for (const finding of findings) found.push(finding);
    at = INDEX.nextPlace(text, endOfCertain(findings) ?? at + 1);
  }
  return mergeFindings(found);
}

const INDEX = indexFinders([
  findPrivateKey,
  ...[aiKinds, codeKinds, cloudKinds, messageKinds, businessKinds, standardKinds].flat().map(findByPrefix),
  findUrlPassword,
  findSignedUrl,
  findBearer,
  findBasic,
  findCookie,
  ...commandPasswordFinders,
  findAssigned,
]);

const endOfCertain = (findings: readonly Finding[]) => findings.findLast(({ certain }) => certain)?.end;
