import { expect, test } from "vitest";
import type { Person } from "../../src/agent/chat-options.js";
import { openLive } from "../../src/library/live/look-at-live.js";
import { call } from "./call-all.js";
import { makePlace, startChat } from "./chat-world.js";

const OPTIONS = [
  { label: "Red", description: "warm" },
  { label: "Blue", description: "cold" },
];

test("while a question of a chat is open it waits for the person, and afterwards it works", async () => {
  const place = makePlace();
  const live = openLive({ roots: [place.configRoot], dataDir: place.dataDir });
  const told: object[] = [];
  const look = () => void told.push(...live.look());
  const person: Person = {
    approve: async () => {
      look();
      return "yes";
    },
    answer: async () => {
      look();
      return { "Which colour?": "Red" };
    },
    approvePlan: async () => "no",
  };
  const questions = [{ question: "Which colour?", header: "Colour", multiSelect: false, options: OPTIONS }];
  const script = [
    { blocks: [call("Write", { file_path: "a.txt", content: "a" })] },
    { blocks: [call("AskUserQuestion", { questions })] },
    { blocks: [{ text: "Done." }] },
  ];
  const { opened, send } = await startChat(script, { place }, { mode: "default", person });
  await send("go");
  look();
  live.close();
  expect(told).toMatchObject([
    { id: opened.log.sessionId, state: "waiting", waitsFor: "permission", source: "chat" },
    { state: "waiting", waitsFor: "answer" },
    { state: "waiting", waitsFor: "prompt" },
  ]);
});
