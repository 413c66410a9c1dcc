import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";

const redact = (text: string) => createRedactor({ level: "redact", home: "/home/dana", user: "dana" }).text(text);

describe("the home folder", () => {
  test.each([
    ["/home/dana/shop/src/a.ts", "~/shop/src/a.ts"],
    ["cwd is /home/dana.", "cwd is ~."],
    ["file:///home/dana/a", "file://~/a"],
    ['{"cwd":"/home/dana"}', '{"cwd":"~"}'],
    ["first\\n/home/dana/a", "first\\n~/a"],
    ["/Users/dana/Library", "~/Library"],
    ["C:\\Users\\dana\\AppData", "~\\AppData"],
    ["C:\\\\Users\\\\dana\\\\AppData", "~\\\\AppData"],
    ["C:\\\\\\\\Users\\\\\\\\dana\\\\\\\\AppData", "~\\\\\\\\AppData"],
    ["c:/Users/Dana/x", "~/x"],
    ["/mnt/c/Users/dana/x", "~/x"],
    ["\\/home\\/dana\\/x", "~\\/x"],
    ["open?path=%2Fhome%2Fdana%2Fx", "open?path=~%2Fx"],
  ])("%s becomes %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test.each(["/home/danaher/x", "/home/erin/x", "~/x", "C:\\Users\\Public\\x"])("%s is another one", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("may lie anywhere, and names the user", () => {
    const redactor = createRedactor({ level: "redact", home: "/srv/people/erin" });
    expect(redactor.text("/srv/people/erin/x by erin")).toBe("~/x by [REDACTED:user:1]");
  });

  test("of Windows is found with its drive", () => {
    const redactor = createRedactor({ level: "redact", home: "D:\\Homes\\erin" });
    expect(redactor.text('{"cwd":"D:\\\\Homes\\\\erin\\\\shop"}')).toBe('{"cwd":"~\\\\shop"}');
  });

  test.each(["", "/", "C:\\"])("%j is nobody's, and nothing is removed", (home) => {
    const text = "C:\\x /home/ /home/dana C: c";
    expect(createRedactor({ level: "redact", home, user: "" }).text(text)).toBe(text);
  });

  test("in the keys of an object is redacted, and no entry is lost", () => {
    const value = { "/home/dana/a": 1, "/Users/dana/a": 2, b: 3 };
    const redacted = createRedactor({ level: "redact", user: "dana" }).json(value);
    expect(Object.entries(redacted)).toEqual([
      ["~/a", 1],
      ["~/a (2)", 2],
      ["b", 3],
    ]);
  });
});

describe("the user's name", () => {
  test.each([
    ["dana@laptop:~$ ls", "[REDACTED:user:1]@laptop:~$ ls"],
    ["-rw-r--r-- 1 dana dana 12 a.txt", "-rw-r--r-- 1 [REDACTED:user:1] [REDACTED:user:1] 12 a.txt"],
    ["projects/-home-dana-shop/", "projects/-home-[REDACTED:user:1]-shop/"],
    ["line\\ndana: hello", "line\\n[REDACTED:user:1]: hello"],
    ["Dana and dana", "[REDACTED:user:1] and [REDACTED:user:1]"],
    ["/backup/home/dana/x", "/backup/home/[REDACTED:user:1]/x"],
  ])("%s becomes %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test("inside other words stays", () => {
    expect(redact("bandana danaher dana2")).toBe("bandana danaher dana2");
  });

  test("that is an everyday word is removed from paths and prompts only", () => {
    const redactor = createRedactor({ level: "redact", home: "/home/dev", user: "dev" });
    expect(redactor.text("npm run dev in /home/dev/a and -home-dev-a, dev@box: $")).toBe(
      "npm run dev in ~/a and -home-[REDACTED:user:1]-a, [REDACTED:user:1]@box: $",
    );
  });

  test("that could be part of a uuid does not break one", () => {
    const uuid = "0b1c2d3e-beef-4f5a-8b6c-7d8e9f0a1b2c";
    expect(createRedactor({ level: "redact", user: "beef" }).text(`${uuid} beef`)).toBe(`${uuid} [REDACTED:user:1]`);
  });
});

describe("mail addresses", () => {
  const withEmails = (text: string) => createRedactor({ level: "redact", emails: true }).text(text);

  test.each([
    ["Author: Erin <erin.doe+dev@mail.shop.org>", "Author: Erin <[REDACTED:email:1]>"],
    ["a\\nerin@shop.org\\nb", "a\\n[REDACTED:email:1]\\nb"],
    ["mailto:erin@shop.org?x", "mailto:[REDACTED:email:1]?x"],
  ])("%s becomes %s", (text, expected) => {
    expect(withEmails(text)).toBe(expected);
  });

  test.each([
    "git@github.com:org/repo.git",
    "noreply@anthropic.com",
    "icon@2x.png",
    "pkg@1.2.3",
    "@scope/name",
    "a @ b.c",
  ])("%s is none of a person", (text) => {
    expect(withEmails(text)).toBe(text);
  });
});
