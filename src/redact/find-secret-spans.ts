import { findAssigned } from "./find-assigned.js";
import { findBasic, findBearer } from "./find-authorization.js";
import { findAwsPair } from "./find-aws-pair.js";
import { findByPrefix } from "./find-by-prefix.js";
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
import { passwordFinders } from "./password-finders.js";

/** Every secret in a text, in order and without overlap. One scan for anchors, then a close look at each. */
export function findSecretSpans(text: string): Finding[] {
  const found: Finding[] = [];
  let guessedEnd = 0;
  for (let at = INDEX.nextPlace(text, 0); at >= 0; ) {
    let next = at + 1;
    for (const finding of INDEX.findAt(text, at, at >= guessedEnd)) {
      found.push(finding);
      if (finding.certain) next = finding.end;
      else guessedEnd = finding.end;
    }
    at = INDEX.nextPlace(text, next);
  }
  return mergeFindings(found);
}

const INDEX = indexFinders([
  findPrivateKey,
  findAwsPair,
  ...[aiKinds, codeKinds, cloudKinds, messageKinds, businessKinds, standardKinds].flat().map(findByPrefix),
  findUrlPassword,
  findSignedUrl,
  findBearer,
  findBasic,
  findCookie,
  ...passwordFinders,
  findAssigned,
]);
