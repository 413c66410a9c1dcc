import { SHOP } from "../projects.mjs";
import { bash, edit, glob, read, say, stopped, think, todos } from "../tools.mjs";

const FORM = `import { html } from "../html.js";

export const addressForm = html\`
  <form action="/checkout/address" method="post">
    <input name="name" placeholder="Name">
    <input name="street" placeholder="Street and number">
    <input name="city" placeholder="City">
    <span class="error">Please fill in all fields</span>
    <button>Continue</button>
  </form>\`;
`;

const PLAN = ["Give every field a label", "Announce errors to screen readers", "Run the accessibility checks"];
const at = (...statuses) => PLAN.map((content, index) => [content, statuses[index]]);

/** Todos, a long command stopped with Esc, a message that only the queue knows, and local commands. */
export const addressForm = {
  name: "address-form",
  ...SHOP,
  client: "2.1.45",
  model: "claude-sonnet-4-6",
  gitBranch: "main",
  start: "2026-10-27T15:40:10.000Z",
  files: { "src/pages/address-form.ts": FORM },
  tell(s) {
    label(s);
    s.rename("Accessible address form");
    check(s);
    s.localCommand(
      "cost",
      "",
      `Total cost:            $${s.cost().toFixed(4)}\nTotal code changes:    4 lines added, 4 lines removed`,
    );
  },
};

function label(s) {
  s.prompt("A customer who uses a screen reader cannot get through the address form. Make it accessible.");
  s.answer(
    think("Three things are typical: labels, error announcement, and a check that keeps it so."),
    say("I'll work through this step by step."),
    todos([], at("in_progress", "pending", "pending")),
    glob("src/pages/*form*.ts", ["src/pages/address-form.ts"]),
  );
  s.answer(read("src/pages/address-form.ts"));
  s.answerWhileTyping(
    "keep the placeholders, the designers like them",
    edit(
      "src/pages/address-form.ts",
      `    <input name="name" placeholder="Name">
    <input name="street" placeholder="Street and number">
    <input name="city" placeholder="City">`,
      `    <label>Name <input name="name" placeholder="Name" autocomplete="name" required></label>
    <label>Street and number <input name="street" placeholder="Street and number" autocomplete="street-address" required></label>
    <label>City <input name="city" placeholder="City" autocomplete="address-level2" required></label>`,
    ),
    todos(at("in_progress", "pending", "pending"), at("completed", "in_progress", "pending")),
  );
  s.answer(
    edit(
      "src/pages/address-form.ts",
      `<span class="error">`,
      `<span class="error" role="alert" aria-live="assertive">`,
    ),
    todos(at("completed", "in_progress", "pending"), at("completed", "completed", "in_progress")),
  );
  s.answer(say("Every field has a label now (placeholders kept), and errors are announced. Next: the checks."));
  s.done();
}

function check(s) {
  s.wait(20);
  s.prompt("ok, run them");
  s.answer(
    stopped(
      bash(
        "npm run a11y -- --all-pages --browsers chromium,firefox,webkit",
        "Run the accessibility checks on every page",
      ),
      74,
    ),
  );
  s.done();
  s.wait(9);
  s.prompt("That takes forever. Only this page, only chromium.");
  s.answer(
    bash(
      "npm run a11y -- --page checkout/address --browsers chromium",
      "Check the address page",
      "checkout/address: 0 violations (31 rules)",
      { seconds: 6.5 },
    ),
    todos(at("completed", "completed", "in_progress"), at("completed", "completed", "completed")),
  );
  s.answer(say("No violations on the address page: 31 rules passed in Chromium."));
  s.done();
}
