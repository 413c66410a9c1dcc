import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectSlug, projectSlugs } from "../../../src/format/layout/session-paths.js";
import { runs } from "../../runs.js";

describe("the project slug", () => {
  test.each([
    ["/home/dev/tproj", "-home-dev-tproj"],
    ["/home/dev/p/2.0.50/demo_app", "-home-dev-p-2-0-50-demo-app"],
    ["/home/dev/slug/dots.and_under", "-home-dev-slug-dots-and-under"],
    ["/home/dev/slug/with space", "-home-dev-slug-with-space"],
    ["/home/dev/slug/unié中文😀", "-home-dev-slug-uni-----"],
    ["/home/dev/slug/UPPER-Case~tilde@at+plus(par)", "-home-dev-slug-UPPER-Case-tilde-at-plus-par-"],
    [`/home/dev/slug/${"long".repeat(55)}`, `-home-dev-slug-${"long".repeat(55)}`],
    ["C:\\Users\\a", "C--Users-a"],
    ["", ""],
  ])("of %s is the folder that recorded sessions lie in", (cwd, folder) => {
    expect(projectSlug(cwd)).toBe(folder);
  });

  test("has as many UTF-16 units as the path, letters and digits in place, and dashes for the rest", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (cwd) => {
        const slug = projectSlug(cwd);
        expect(slug).toMatch(/^[A-Za-z0-9-]*$/);
        expect(slug.length).toBe(cwd.length);
        expect(slug.replaceAll("-", "")).toBe(cwd.replace(/[^A-Za-z0-9]/g, ""));
      }),
      runs(300),
    );
  });
});

describe("the candidates of a path", () => {
  test("are one up to 200 units", () => {
    const cwd = `/${"a".repeat(199)}`;
    expect(projectSlugs(cwd)).toEqual([projectSlug(cwd)]);
  });

  test("are the shortened form of 2.1.325 and the plain one of older clients beyond that", () => {
    const cwd = `/${"a".repeat(200)}`;
    const [newest, ...older] = projectSlugs(cwd);
    expect(newest).toMatch(/^-a{199}-[0-9a-z]+$/);
    expect(older).toEqual([projectSlug(cwd)]);
  });

  test("of a 242-character path have 207 characters when the hash has six digits", () => {
    expect(projectSlugs(`/home/dev/${"long/".repeat(46)}el`).map((slug) => slug.length)).toEqual([207, 242]);
  });

  // "Aa" and "BB" collide in this hash, and 31 * "A" + "a" = 2112: known values that a slip would change.
  test.each([
    [`${"\0".repeat(200)}Aa`, "1mo"],
    [`${"\0".repeat(200)}BB`, "1mo"],
    [`${"\0".repeat(200)}hello`, "1n1e4y"],
    [`${"\0".repeat(200)}polygenelubricants`, "zik0zk"],
  ])("hash the path itself as signed 32-bit numbers", (cwd, digits) => {
    expect(projectSlugs(cwd)[0]).toBe(`${projectSlug(cwd).slice(0, 200)}-${digits}`);
  });

  test("tell apart long paths whose slugs are equal", () => {
    const tail = "x".repeat(200);
    expect(projectSlugs(`/a.b/${tail}`)[0]).not.toBe(projectSlugs(`/a_b/${tail}`)[0]);
  });

  test("are folder names of at most 208 characters, whatever the path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 201, maxLength: 400 }), (cwd) => {
        expect(projectSlugs(cwd)[0]).toMatch(/^[A-Za-z0-9-]{202,208}$/);
      }),
      runs(200),
    );
  });
});
