// Takes secrets out of text and JSON, and says what it removed without repeating it.
import { createRedactor } from "turnlog";

const token = ["ghp", "0123456789abcdefghijABCDEFGHIJ456789"].join("_"); // no real one
const redactor = createRedactor({
  level: "redact",
  home: "/home/dev",
  customPatterns: [{ name: "badge", pattern: /B-\d+/g }],
});

console.log(redactor.text(`cd /home/dev/shop && GITHUB_TOKEN=${token} ./release`, "prompt"));
console.log(redactor.json({ command: "login", password: "hunter2-Correct-Horse", holder: "B-4711" }, "tool input"));
console.log(redactor.report());
