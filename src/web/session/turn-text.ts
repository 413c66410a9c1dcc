import type { ServedItem, ServedTurn } from "../../server/api/turns.js";

/** A turn as Markdown: what was asked, what was answered, and each tool call in a line. */
export function turnText({ turn, items }: Pick<ServedTurn, "turn" | "items">): string {
  const asked = turn.prompt.split("\n").map((line) => `> ${line}`);
  return `${[asked.join("\n"), ...items.flatMap(itemText)].join("\n\n")}\n`;
}

function itemText(item: ServedItem): string[] {
  switch (item.kind) {
    case "text":
      return [item.text.trim()];
    case "followUp":
      return [`> ${item.followUp.prompt.replaceAll("\n", "\n> ")}`];
    case "call": {
      const state = item.call.status === "ok" ? "" : ` (${item.call.status})`;
      return [`- **${item.call.name}** \`${item.view.title.replaceAll("`", "'").split("\n")[0]}\`${state}`];
    }
    default:
      return [];
  }
}
