const MAX_LENGTH = 2048;

/** Ends the host names of the services that take a path in any case. */
const ANY_CASE = /^(?:github\.com|gitlab\.com|bitbucket\.org|dev\.azure\.com|codeberg\.org)$/;

/** Other names of one service, for SSH through port 443 and the like. */
const SAME_HOST: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "www.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
  "ssh.dev.azure.com": "dev.azure.com",
};

/**
 * What all addresses of one repository have in common: `host/path`, without scheme, user, password, port and `.git`. A port is no
 * part of it, because SSH and HTTPS of one server have different ones. Undefined for an address that only this machine
 * understands (a path, `file:`, a helper program), or that is none.
 */
export function remoteIdentity(address: string): string | undefined {
  if (address.length > MAX_LENGTH || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(address)) return undefined;
  const parts = splitAddress(address.trim());
  const written = parts?.host.toLowerCase().replace(/\.$/, "") ?? "";
  const host = SAME_HOST[written] ?? written;
  const path = parts && plainPath(host, parts.path);
  if (!isHost(host) || path === undefined) return undefined;
  return `${host}/${ANY_CASE.test(host) ? path.toLowerCase() : path}`;
}

interface Address {
  readonly host: string;
  readonly path: string;
}

const URL_FORM =
  /^(?:git\+)?(?:ssh|https?|git|ftps?)(?:\+git)?:\/\/(?:[^/@]*@)*(\[[^\]/]+\]|[^/:[\]]*)(?::\d*)?\/(.*)$/i;
/** `user@host:path`. One letter before the colon is a drive of Windows. */
const SCP_FORM = /^(?:[^/@:]*@)*(\[[^\]/]+\]|[^/:@[\]]{2,}):(?!\/\/|:)(.*)$/;

function splitAddress(address: string): Address | undefined {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  const [, host = "", path] = (isUrl ? URL_FORM : SCP_FORM).exec(address) ?? [];
  return path === undefined ? undefined : { host, path: isUrl ? decoded(path) : path };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replace(/[?#].*$/, ""));
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

function isHost(host: string): boolean {
  return /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?|\[[0-9a-f:.%]+\])$/u.test(host);
}

function plainPath(host: string, path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || /[\p{Cc}\p{Cf}\\]/u.test(path)) return undefined;
  const own =
    host === "dev.azure.com" ? parts.filter((part, at) => part !== "_git" && !(at === 0 && part === "v3")) : parts;
  const plain = own.join("/").replace(/\.git$/i, "");
  return plain === "" ? undefined : plain;
}
