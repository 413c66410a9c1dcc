import { describe, expect, test } from "vitest";
import { cutTitle, markTitle } from "../../src/session/choose-title.js";
import { textWidth } from "../../src/text-width.js";

const LONG = "Please have a look at the login page and tell me why nobody can sign in since the last release on Monday";

describe("the title of a session that an edit made", () => {
  test("names the edit", () => {
    expect(markTitle("Fix the login", "pruned")).toBe("Fix the login (pruned)");
  });

  test("names each kind of edit once, however often it is edited", () => {
    const twice = markTitle(markTitle("Fix the login", "pruned"), "pruned");
    expect(twice).toBe("Fix the login (pruned)");
    expect(markTitle(markTitle(twice, "fork"), "pruned")).toBe("Fix the login (pruned, fork)");
  });

  test("is short enough to be read back with its mark, and does not grow", () => {
    const once = markTitle(LONG, "pruned");
    expect({ end: once.slice(-10), fits: textWidth(once) <= 100 }).toEqual({ end: "… (pruned)", fits: true });
    expect(markTitle(once, "pruned")).toBe(once);
    expect(markTitle(once, "compressed")).not.toContain("……");
  });

  test("leaves other words in brackets alone", () => {
    expect(markTitle("Fix (again)", "clone")).toBe("Fix (again) (clone)");
  });
});

describe("a title in a narrow column", () => {
  test("keeps what the edit added", () => {
    expect(cutTitle("Fix the login page of the shop (pruned)", 20)).toBe("Fix the lo… (pruned)");
  });

  test("is cut at its end without such a mark, and where even the mark is too long", () => {
    expect(cutTitle("Fix the login page", 10)).toBe("Fix the l…");
    expect(cutTitle("Fix the login page (pruned)", 8)).toBe("Fix the…");
  });
});
