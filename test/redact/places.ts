/** Where secrets turn up in sessions: each function puts one there. */
export const TEXT_PLACES: Readonly<Record<string, (secret: string) => string>> = {
  "a prompt": (secret) => `please use ${secret} for the deployment, thanks`,
  "the end of a sentence": (secret) => `The value is ${secret}.`,
  "an env file": (secret) => `NODE_ENV=production\nSERVICE_CREDENTIAL=${secret}\nPORT=3000\n`,
  "a shell command": (secret) => `export VALUE=${secret} && npm run deploy -- --with "${secret}"`,
  "a flag": (secret) => `deploy --region eu-1 --credential=${secret} --force`,
  YAML: (secret) => `service:\n  region: eu\n  value: ${secret}\n  other: 1\n`,
  code: (secret) => `const client = new Client({ value: "${secret}", retries: 3 });`,
  "a query": (secret) => `GET https://api.example.org/v1/items?id=7&v=${secret}&page=2`,
  "a header": (secret) => `curl -H 'X-Service: ${secret}' https://api.example.org`,
  "escaped JSON": (secret) => JSON.stringify(JSON.stringify({ line: `first\n${secret}\nlast` })),
  "twice escaped JSON": (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ value: secret }))),
  "a JSONL line": (secret) => `{"type":"user","message":{"role":"user","content":"a\\n${secret}\\tb"}}`,
  "a diff": (secret) => `@@ -1,2 +1,2 @@\n-value: old\n+value: ${secret}\n`,
  "a listing": (secret) => `     1→# notes\n     2→${secret}\n     3→end`,
  Markdown: (secret) => `| name | value |\n|---|---|\n| prod | \`${secret}\` |\n**${secret}**`,
  "coloured output": (secret) => `\u001b[32m${secret}\u001b[0m done`,
};

/** The same in the fields of records. */
export const RECORD_PLACES: Readonly<Record<string, (secret: string) => unknown>> = {
  "message text": (secret) => ({ message: { role: "user", content: [{ type: "text", text: `key: ${secret} ok` }] } }),
  "tool input": (secret) => ({ content: [{ type: "tool_use", id: "toolu_01", input: { command: `echo ${secret}` } }] }),
  "tool result": (secret) => ({
    content: [{ type: "tool_result", content: [{ type: "text", text: `> ${secret}\n` }] }],
  }),
  stdout: (secret) => ({ toolUseResult: { stdout: `ok\n${secret}\n`, stderr: "", interrupted: false } }),
  originalFile: (secret) => ({ toolUseResult: { filePath: "/app/.env", originalFile: `A=1\nB=${secret}\n` } }),
  structuredPatch: (secret) => ({
    toolUseResult: { structuredPatch: [{ oldStart: 1, lines: [" a", `+B=${secret}`] }] },
  }),
  attachment: (secret) => ({ attachment: { type: "file", content: { file: { content: `x ${secret}` } } } }),
  "a key": (secret) => ({ snapshot: { trackedFileBackups: { [`notes/${secret}.txt`]: { version: 1 } } } }),
  "a file backup": (secret) => ({ snapshot: { trackedFileBackups: { "a.txt": `one\n${secret}\n` } } }),
  "JSON in a string": (secret) => ({ input: { body: JSON.stringify({ nested: JSON.stringify({ deep: secret }) }) } }),
};
