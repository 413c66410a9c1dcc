import { SHOP } from "../projects.mjs";
import { bash, denied, edit, read, say, think } from "../tools.mjs";

const CART = `import type { Discount, Line } from "./types.js";

/** All amounts are in cents. */
export function cartTotal(lines: readonly Line[], discount: Discount | null): number {
  return lines.reduce((sum, line) => sum + lineTotal(line, discount), 0);
}

function lineTotal({ unitPrice, quantity }: Line, discount: Discount | null): number {
  const gross = unitPrice * quantity;
  if (!discount) return gross;
  return Math.round(gross * (1 - discount.percent / 100));
}

export function shippingFor(total: number): number {
  return total >= 5000 ? 0 : 490;
}
`;

const CART_TEST = `import { expect, test } from "vitest";
import { cartTotal } from "./cart.js";

test("adds up lines", () => {
  expect(cartTotal([{ unitPrice: 1999, quantity: 2 }], null)).toBe(3998);
});

test("a discount applies to every line", () => {
  expect(cartTotal([{ unitPrice: 1000, quantity: 1 }], { percent: 10 })).toBe(900);
});
`;

const NEW_TEST = `test("a discount is rounded once, as on the invoice", () => {
  const lines = [
    { unitPrice: 335, quantity: 1 },
    { unitPrice: 335, quantity: 1 },
    { unitPrice: 335, quantity: 1 },
  ];
  expect(cartTotal(lines, { percent: 15 })).toBe(854);
});
`;

const FAILING = ` RUN  v4.1.12 /home/dev/code/lantern-shop

 ❯ src/cart.test.ts (3 tests | 1 failed) 14ms
   ✓ adds up lines 2ms
   ✓ a discount applies to every line 1ms
   × a discount is rounded once, as on the invoice 7ms
     → expected 855 to be 854

AssertionError: expected 855 to be 854 // Object.is equality
 ❯ src/cart.test.ts:18:50

 Test Files  1 failed (1)
      Tests  1 failed | 2 passed (3)`;

const PASSING = ` RUN  v4.1.12 /home/dev/code/lantern-shop

 ✓ src/cart.test.ts (3 tests) 11ms
 ✓ src/invoice.test.ts (5 tests) 9ms

 Test Files  2 passed (2)
      Tests  8 passed (8)`;

/** A bug hunt: parallel reads, a failing test, the fix, a push that the person refuses, a pull request. */
export const centInTheCart = {
  name: "cent-in-the-cart",
  ...SHOP,
  client: "2.1.325",
  model: "claude-opus-5-5",
  gitBranch: "fix/discount-rounding",
  start: "2026-10-12T08:14:09.120Z",
  mode: "acceptEdits",
  files: {
    "src/cart.ts": CART,
    "src/cart.test.ts": CART_TEST,
    "src/types.ts":
      "export interface Line {\n  readonly unitPrice: number;\n  readonly quantity: number;\n}\n\nexport interface Discount {\n  readonly percent: number;\n}\n",
  },
  tell(s) {
    findTheCause(s);
    fixIt(s);
    publish(s);
  },
};

function findTheCause(s) {
  s.prompt(
    "Three lantern wicks at 3.35 with the 15 % autumn code cost 8.54 on the invoice, but 8.55 in the cart. Find out why before you change anything.",
    { mode: "acceptEdits" },
  );
  s.answer(
    think(
      "A cent of difference between cart and invoice smells like rounding per line versus rounding once. I should read the cart, its types and its tests together.",
    ),
    say("I'll read the cart code and its tests first."),
    read("src/cart.ts"),
    read("src/cart.test.ts"),
    read("src/types.ts"),
    bash(
      "git log --oneline -4 -- src/cart.ts src/invoice.ts",
      "Recent changes of cart and invoice",
      "c41d9e2 Round per line in the cart\n8fb0a17 Show discount on the invoice\n2d7713c Invoice totals in cents\n90aa5f1 First cart",
      { seconds: 0.4 },
    ),
  );
  s.answer(
    think(
      "lineTotal rounds each line: 335 * 0.85 = 284.75 -> 285, three times 855. The invoice rounds once: 1005 * 0.85 = 854.25 -> 854. At 3.33 the two happen to agree (849), which is why the existing tests never saw it.",
    ),
    say(
      "The cause is `lineTotal` in `src/cart.ts`: it rounds **every line**, while the invoice rounds **the total once** (`c41d9e2` introduced that). Three lines at 3.35 become 3 × 2.85 = 8.55 instead of 8.54, so the error grows with the number of lines.\n\nI suggest to round once in `cartTotal`, with a test that fails today. Shall I?",
    ),
  );
  s.done();
}

function fixIt(s) {
  s.wait(95);
  s.prompt("Yes. Test first please.", { mode: "acceptEdits" });
  s.answer(
    edit(
      "src/cart.test.ts",
      `test("a discount applies to every line", () => {`,
      `${NEW_TEST}\ntest("a discount applies to every line", () => {`,
    ),
  );
  s.answer(bash("npx vitest run src/cart.test.ts", "Run the cart tests", FAILING, { seconds: 3.1, exit: 1 }));
  s.answer(
    think("855 instead of 854: the test shows the reported cent. Now move the rounding to the sum."),
    say("The test fails for the right reason: 855 instead of 854. Now the fix."),
    edit(
      "src/cart.ts",
      "  return Math.round(gross * (1 - discount.percent / 100));",
      "  return gross * (1 - discount.percent / 100);",
    ),
    edit(
      "src/cart.ts",
      "  return lines.reduce((sum, line) => sum + lineTotal(line, discount), 0);",
      "  // Rounded once, as on the invoice: rounding each line drifts with the number of lines.\n  return Math.round(lines.reduce((sum, line) => sum + lineTotal(line, discount), 0));",
    ),
  );
  s.answer(bash("npx vitest run", "Run all tests", PASSING, { seconds: 4.4 }));
  s.answer(say("All 8 tests pass. `cartTotal` rounds once now, and the new test holds cart and invoice together."));
  s.done();
  s.aiTitle("Cart total rounded once");
}

function publish(s) {
  s.wait(240);
  s.prompt("Commit, push and open a pull request.", { mode: "acceptEdits" });
  s.answer(
    bash(
      'git add -A && git commit -m "Round the cart total once, as the invoice does"',
      "Commit",
      "[fix/discount-rounding 7be1d30] Round the cart total once, as the invoice does\n 2 files changed, 12 insertions(+), 2 deletions(-)",
      { seconds: 0.6 },
    ),
  );
  s.answer(
    say("The remote branch is one commit ahead of mine."),
    denied(bash("git push --force origin fix/discount-rounding", "Push over the remote branch")),
  );
  s.done();
  s.wait(30);
  s.prompt("Never force. Rebase and push normally.", { mode: "acceptEdits" });
  s.answer(
    bash(
      "git pull --rebase origin fix/discount-rounding && git push origin fix/discount-rounding",
      "Rebase and push",
      "Successfully rebased and updated refs/heads/fix/discount-rounding.\nTo github.com:lantern-example/lantern-shop.git\n   90c1f2e..b7710ae  fix/discount-rounding -> fix/discount-rounding",
      { seconds: 3.8 },
    ),
  );
  const created = bash(
    'gh pr create --fill --title "Round the cart total once"',
    "Open the pull request",
    "https://github.com/lantern-example/lantern-shop/pull/218",
    { seconds: 2.2 },
  );
  s.answer(created);
  s.pullRequest(218, SHOP.repository);
  s.answer(say("Rebased, pushed without force, and opened https://github.com/lantern-example/lantern-shop/pull/218."));
  s.done();
}
