import { expect, test } from "vitest";
import { chainNodes } from "../../../src/edit/plans/chain-nodes.js";
import type { Node } from "../../../src/session/graph/node.js";

const COUNT = 20_000;

/** One message of many records with a call each, then their results; counts how often the calls of a record are asked for. */
function parallelCalls(): { nodes: Node[]; asked: () => number } {
  let asked = 0;
  const call = (at: number) => ({
    kind: "assistant",
    uuid: `c${at}`,
    message: "m",
    get calls() {
      asked += 1;
      return [{ id: `t${at}`, name: "Read" }];
    },
  });
  const result = (at: number) => ({ kind: "user", uuid: `r${at}`, results: [{ id: `t${at}` }] });
  const numbers = Array.from({ length: COUNT }, (_, at) => at);
  return { nodes: [...numbers.map(call), ...numbers.map(result)] as unknown as Node[], asked: () => asked };
}

test("a message with 20,000 parallel calls is chained by looking at each a few times", () => {
  const { nodes, asked } = parallelCalls();
  const { order } = chainNodes(nodes);
  expect(order).toHaveLength(2 * COUNT);
  expect(order[COUNT]).toBe(nodes[COUNT]);
  expect(asked()).toBeLessThan(10 * COUNT);
});
