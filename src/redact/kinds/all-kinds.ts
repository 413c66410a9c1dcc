import { aiKinds } from "./ai-kinds.js";
import { businessKinds } from "./business-kinds.js";
import { cloudKinds } from "./cloud-kinds.js";
import { codeKinds } from "./code-kinds.js";
import { infraKinds } from "./infra-kinds.js";
import { messageKinds } from "./message-kinds.js";
import type { SecretKind } from "./secret-kind.js";
import { serviceKinds } from "./service-kinds.js";
import { standardKinds } from "./standard-kinds.js";

/** All kinds with a mark of their own. The first that matches names a secret. */
export const markedKinds: readonly SecretKind[] = [
  ...aiKinds,
  ...codeKinds,
  ...cloudKinds,
  ...infraKinds,
  ...messageKinds,
  ...businessKinds,
  ...serviceKinds,
  ...standardKinds,
];

/** Kinds that a notation around the secret gives away. */
export const NOTATION_KINDS = [
  "basic-auth",
  "bearer",
  "cookie",
  "password",
  "recovery-code",
  "secret",
  "seed-phrase",
  "signed-url",
  "url-password",
  "url-token",
] as const;
