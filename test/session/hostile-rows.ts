import fc from "fast-check";
import type { Row } from "../builders/session-builder.js";

const id = fc.constantFrom("a", "b", "c", "", null, 7);
const block = fc.record(
  {
    type: fc.constantFrom("text", "thinking", "tool_use", "tool_result", "image", "future", null),
    id,
    tool_use_id: id,
    name: fc.jsonValue(),
    input: fc.jsonValue(),
    text: fc.jsonValue(),
    content: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    role: fc.constantFrom("user", "assistant", 1),
    id,
    content: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(block, fc.jsonValue()), { maxLength: 3 })),
    usage: fc.jsonValue(),
    stop_reason: fc.constantFrom("tool_use", "end_turn", null, 3),
  },
  { requiredKeys: [] },
);

/** Rows with the right names and any values: what a foreign or damaged writer may leave. */
export const hostileRows: fc.Arbitrary<Row[]> = fc.array(
  fc.record(
    {
      type: fc.constantFrom("user", "assistant", "system", "attachment", "progress", "last-prompt", "future", 5),
      uuid: id,
      parentUuid: id,
      leafUuid: id,
      timestamp: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z", "never", 12),
      sessionId: id,
      isSidechain: fc.constantFrom(true, false, "yes"),
      subtype: fc.constantFrom("compact_boundary", "future", 1),
      logicalParentUuid: id,
      message: fc.oneof(message, fc.jsonValue()),
      attachment: fc.jsonValue(),
      data: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 12 },
);
