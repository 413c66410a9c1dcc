import { SHOP } from "../projects.mjs";
import { agent, background, bash, edit, read, say, think, write } from "../tools.mjs";

const ROUTES = `import { Router } from "./router.js";
import { showCart } from "./pages/cart.js";
import { showProduct } from "./pages/product.js";

export const router = new Router()
  .get("/product/:slug", showProduct)
  .get("/cart", showCart);
`;

const WISHLIST = `import type { Customer } from "../customer.js";
import { html } from "../html.js";
import { findProducts } from "../products.js";

export async function showWishlist(customer: Customer): Promise<string> {
  const products = await findProducts(customer.wishlist);
  if (products.length === 0) return html\`<p>Nothing here yet. Press the heart beside a lantern.</p>\`;
  return html\`<ul class="wishlist">\${products.map((product) => html\`<li>\${product.name}</li>\`)}</ul>\`;
}
`;

const REPORT = `Pages live in src/pages, one file per page, each exporting a single \`show…\` function that returns a string made with the \`html\` tag (src/html.ts escapes interpolated values).

- Routes are registered in src/routes.ts.
- A page receives the customer as its only argument; the session middleware loads it.
- \`customer.wishlist\` already exists as a list of product slugs (src/customer.ts:14) but nothing reads it.
- Page tests are in test/pages, they call the function directly; there is an end-to-end suite in e2e/ that needs about 90 seconds.`;

/** A feature: a sub-agent explores on a small model, the slow tests run in the background, a wish arrives meanwhile. */
export const wishlist = {
  name: "wishlist",
  ...SHOP,
  client: "2.1.325",
  model: "claude-sonnet-4-6",
  gitBranch: "feature/wishlist",
  start: "2026-10-21T13:02:44.300Z",
  mode: "acceptEdits",
  files: {
    "src/routes.ts": ROUTES,
    "src/customer.ts":
      "export interface Customer {\n  readonly id: string;\n  readonly wishlist: readonly string[]; // product slugs\n}\n",
    "src/pages/cart.ts":
      'import { html } from "../html.js";\n\nexport async function showCart(): Promise<string> {\n  return html`<h1>Your cart</h1>`;\n}\n',
  },
  tell(s) {
    build(s);
    const tests = testInBackground(s);
    s.wait(88);
    s.notify(tests, { summary: 'Background command "Run the end-to-end suite" completed (exit code 0)' });
    s.answer(
      bash(`tail -5 /tmp/claude/e2e.log`, "Look at the end of the log", "  42 passed (1.4m)\n  0 flaky\n  0 failed", {
        seconds: 0.2,
      }),
    );
    s.answer(say("The end-to-end suite is through: 42 passed, none flaky. The wishlist page is ready for review."));
    s.done();
  },
};

function build(s) {
  s.prompt("We need a wishlist page at /wishlist. Look at how the other pages are made and do it the same way.", {
    mode: "acceptEdits",
  });
  s.answer(
    think("I do not know this code base. A cheap exploration first, then a small page."),
    say("I'll let an explorer collect how pages are built here."),
    agent({
      type: "Explore",
      description: "How pages are built",
      prompt:
        "Find out how pages are built in this repository: where they live, how they are routed, what they receive, how they are tested. Report facts with paths.",
      model: "claude-haiku-4-5",
      tell: explore,
    }),
  );
  s.answer(say("Clear conventions. I'll follow them."), read("src/routes.ts"), read("src/customer.ts"));
  s.answerWhileTyping(
    "Please show a friendly text when the list is empty",
    write("src/pages/wishlist.ts", WISHLIST),
    edit(
      "src/routes.ts",
      '  .get("/cart", showCart);',
      '  .get("/cart", showCart)\n  .get("/wishlist", showWishlist);',
    ),
    edit(
      "src/routes.ts",
      'import { showProduct } from "./pages/product.js";',
      'import { showProduct } from "./pages/product.js";\nimport { showWishlist } from "./pages/wishlist.js";',
    ),
  );
  s.answer(
    say(
      "The page exists at `/wishlist` and lists the customer's products. An empty list says so: *Nothing here yet. Press the heart beside a lantern.*",
    ),
  );
  s.done();
  s.aiTitle("Wishlist page");
}

function explore(a) {
  a.answer(
    think("Start with the tree."),
    bash(
      "git ls-files src test e2e | head -40",
      "List the source files",
      "e2e/checkout.spec.ts\nsrc/customer.ts\nsrc/html.ts\nsrc/pages/cart.ts\nsrc/pages/product.ts\nsrc/products.ts\nsrc/routes.ts\ntest/pages/cart.test.ts",
      { seconds: 0.3 },
    ),
  );
  a.answer(read("src/routes.ts"), read("src/pages/cart.ts"), read("src/customer.ts"));
  a.answer(say(REPORT));
  return REPORT;
}

function testInBackground(s) {
  s.wait(41);
  s.prompt("Run the end-to-end tests, but do not make me wait for them.", { mode: "acceptEdits" });
  const tests = background("npm run e2e > /tmp/claude/e2e.log 2>&1", "Run the end-to-end suite", "b7c2k9x0q");
  s.answer(tests);
  s.answer(say("The suite runs in the background; I'll tell you when it ends."));
  s.done();
  return tests;
}
