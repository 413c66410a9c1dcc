import { type JsonObject, objectAt } from "./json.js";

/** A boundary that no longer says which records before it stay in the context, and continues at another record. */
export function withoutPreserved(logicalParentUuid: string | null): (boundary: JsonObject) => JsonObject {
  return (boundary) => {
    const metadata = { ...objectAt(boundary, "compactMetadata") };
    delete metadata["preservedSegment"];
    delete metadata["preservedMessages"];
    return { ...boundary, logicalParentUuid, compactMetadata: metadata };
  };
}
