import { z } from "zod";
import { defineTool } from "./define-tool.js";
import { ToolError } from "./tool.js";

export const askUserQuestionTool = defineTool({
  name: "AskUserQuestion",
  description:
    "Asks the person one to four questions with two to four answers to choose from each. They can always answer in their own words. Use it only where you cannot decide by yourself.",
  schema: z.object({
    questions: z
      .array(
        z.object({
          question: z.string().min(1),
          header: z.string().describe("One or two words"),
          options: z
            .array(z.object({ label: z.string().min(1), description: z.string() }))
            .min(2)
            .max(4),
          multiSelect: z.boolean().optional().default(false).describe("Several answers may be chosen"),
        }),
      )
      .min(1)
      .max(4),
  }),
  isReadOnly: false,
  action: () => ({ kind: "talk" }),
  async run({ questions }, { askPerson }) {
    const answers = await askPerson(questions);
    if (!answers) throw new ToolError("Nobody is there to answer. Decide by yourself, and say what you assumed.");
    const told = Object.entries(answers).map(([question, answer]) => `"${question}"="${answer}"`);
    return {
      content: `Your questions have been answered: ${told.join(", ")}. You can now continue with these answers in mind.`,
      data: { questions, answers, annotations: {} },
    };
  },
});
