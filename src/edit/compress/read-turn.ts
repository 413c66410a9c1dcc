import { readRecordsAt } from "../../format/record-reader.js";
import { indexBodies } from "../../session/bodies.js";
import { buildTurn, type Turn } from "../../session/build-turn.js";
import { bodyPlace } from "../../session/node.js";
import type { TurnOutline } from "../../session/outline.js";
import type { EditSource } from "../edit-source.js";

/** A turn with its bodies; the places of its own records are read and nothing else. */
export function readTurn({ path, outline }: EditSource, turn: TurnOutline): Turn {
  const nodes = turn.nodes.includes(turn.start) ? turn.nodes : [turn.start, ...turn.nodes];
  return buildTurn(turn, indexBodies(readRecordsAt(path, nodes.map(bodyPlace))), outline);
}
