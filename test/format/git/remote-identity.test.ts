import { describe, expect, test } from "vitest";
import { remoteIdentity } from "../../../src/format/git/remote-identity.js";

describe("the identity of a remote", () => {
  test.each([
    "https://github.com/Acme/Shop.git",
    "https://github.com/acme/shop",
    "https://github.com/acme/shop/",
    "https://GitHub.com:443/acme/shop.git",
    "https://user:secret@github.com/acme/shop.git",
    "https://x-access-token:a@b@github.com/acme/shop.git",
    "http://github.com/acme/shop.git?x=1#y",
    "git@github.com:acme/shop.git",
    "github.com:acme/shop",
    "git@github.com:/acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@ssh.github.com:443/acme/shop.git",
    "git+ssh://git@github.com:22//acme//shop.git",
    "git://github.com./acme/shop",
    "  https://github.com/acme/shop  ",
  ])("of %s is that of the repository", (address) => {
    expect(remoteIdentity(address)).toBe("github.com/acme/shop");
  });

  test("is the same for SSH and HTTPS of a server with ports of its own", () => {
    expect(remoteIdentity("ssh://git@git.example.org:7999/Team/app.git")).toBe("git.example.org/Team/app");
    expect(remoteIdentity("https://git.example.org:8443/Team/app.git")).toBe("git.example.org/Team/app");
  });

  test("keeps the case of a path where servers may tell two apart", () => {
    expect(remoteIdentity("git@git.example.org:Team/App")).not.toBe(remoteIdentity("git@git.example.org:team/app"));
  });

  test.each(["https://acme@dev.azure.com/acme/web/_git/shop", "git@ssh.dev.azure.com:v3/acme/web/shop"])(
    "of Azure's %s is one",
    (address) => {
      expect(remoteIdentity(address)).toBe("dev.azure.com/acme/web/shop");
    },
  );

  test.each([
    ["https://git.example.org/a%20b/c.git", "git.example.org/a b/c"],
    ["https://git.example.org/100%/c.git", "git.example.org/100%/c"],
    ["ssh://git@[2001:db8::1]:22/srv/c.git", "[2001:db8::1]/srv/c"],
    ["alice@host:~/c.git", "host/~/c"],
    ["work:acme/shop.git", "work/acme/shop"],
  ])("of %s is %s", (address, identity) => {
    expect(remoteIdentity(address)).toBe(identity);
  });

  test.each([
    "",
    "/srv/git/shop.git",
    "../shop.git",
    "./a:b",
    "file:///srv/git/shop.git",
    "C:\\git\\shop.git",
    "C:/git/shop.git",
    "\\\\server\\share\\shop.git",
    "ext::sh -c 'touch /tmp/x'",
    "codecommit::eu-west-1://shop",
    "https://",
    "https://github.com",
    "https://github.com/",
    "https:///acme/shop",
    "https://github.com/../shop",
    "https://github.com/acme/%2e%2e/shop",
    "https://github.com/a%00b",
    "https://github.com/a\u202eb",
    "https://git hub.com/acme/shop",
    "git@github.com:..\\shop",
    `https://github.com/${"a".repeat(4000)}`,
    `${"@".repeat(2000)}:`,
  ])("is unknown of %j", (address) => {
    expect(remoteIdentity(address)).toBeUndefined();
  });
});
