import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The secrets that let a client in. */
export interface AccessTokens {
  /** Part of the printed address; programs send it in a header. */
  readonly token: string;
  /** The value of the cookie. Not the token itself, so that it cannot be used in an address. */
  readonly cookie: string;
  /** Sent by the web UI with every change. */
  readonly changeToken: string;
  isToken(text: string | undefined): boolean;
  isCookie(text: string | undefined): boolean;
  isChangeToken(text: string | undefined): boolean;
  /** False where no password was set. */
  isPassword(text: string | undefined): boolean;
  readonly hasPassword: boolean;
}

export function createAccessTokens({
  token = newToken(),
  password,
}: {
  token?: string;
  password?: string;
} = {}): AccessTokens {
  const derive = (use: string) => createHmac("sha256", token).update(use).digest("base64url");
  const [cookie, changeToken] = [derive("cookie"), derive("change")];
  return {
    token,
    cookie,
    changeToken,
    isToken: (text) => isSame(text, token),
    isCookie: (text) => isSame(text, cookie),
    isChangeToken: (text) => isSame(text, changeToken),
    isPassword: (text) => password !== undefined && isSame(text, password),
    hasPassword: password !== undefined,
  };
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}

/** In constant time. */
function isSame(text: string | undefined, expected: string): boolean {
  const hash = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(hash(text ?? ""), hash(expected)) && text !== undefined;
}
