import { type MessageLine, scanMessageLine, UNCLEAR } from "../../format/reader/message-line.js";
import { type MessageOutline, messageKey, outlineMessage } from "./message.js";

/** The API messages of one file, from the bytes of its lines: each once, and no line decoded beyond the few bytes it takes. */
export interface MessageScan {
  /** One line: the bytes in `[start, end)`, without the line feed. False where the file has to be parsed to tell what it means. */
  add(bytes: Buffer, start: number, end: number): boolean;
  /** By key, as an open session has them. */
  readonly messages: ReadonlyMap<string, MessageOutline>;
  /** The keys of those in sidechains. */
  readonly sidechains: ReadonlySet<string>;
}

export function scanMessages(): MessageScan {
  const messages = new Map<string, MessageOutline>();
  const keys = new Map<string, string>(); // by the uuid of a line
  const sidechains = new Set<string>();

  /** A line with the uuid of an earlier one replaces it, and may take a message away. Lines of other types are not seen here. */
  function replacesAnother({ uuid }: MessageLine, key: string): boolean {
    const before = keys.get(uuid);
    keys.set(uuid, key);
    return before !== undefined && before !== key;
  }

  return {
    messages,
    sidechains,
    add(bytes, start, end) {
      const line = scanMessageLine(bytes, start, end);
      if (line === undefined) return true;
      if (line === UNCLEAR) return false;
      const key = messageKey(line);
      if (replacesAnother(line, key)) return false;
      messages.set(key, outlineMessage(line, messages.get(key)));
      if (line.isSidechain) sidechains.add(key);
      return true;
    },
  };
}
