const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const KEPT_STRING_BYTES = 2048;
/** The deepest that meaning looks: `message.content[].type`, `compactMetadata.preservedMessages.uuids`. */
const KEPT_DEPTH = 4;
/** After this many bytes the lists and objects below the record's own fields are closed early. */
const KEPT_BYTES = 1024 * 1024;

/**
 * Shortens one JSON text while its bytes pass by: long strings keep their beginning, deep lists and objects become empty.
 * What comes out is JSON if the input was, so that a line of several gigabytes, or the skeleton of a large file, costs
 * only its small fields. Chunks may end anywhere.
 */
export class Abridger {
  #out = Buffer.allocUnsafe(8192);
  #size = 0;
  #depth = 0;
  #droppingFrom = 0; // the depth of the list or object whose rest is dropped, 0 = none
  #inString = false;
  #isEscaped = false; // the next byte belongs to an escape
  #stringBytes = 0;
  #isStringCut = false;
  #wasCut = false;

  /** Whether anything was left out. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  push(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) at = this.#inString ? this.#passString(bytes, at, end) : this.#passStructure(bytes, at, end);
  }

  finish(): Buffer {
    return this.#out.subarray(0, this.#size);
  }

  #passString(bytes: Buffer, start: number, end: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    while (at < end) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      at += byte === BACKSLASH ? 2 : 1;
    }
    this.#isEscaped = at > end;
    this.#keepString(bytes, start, Math.min(at, end));
    if (at >= end) return end;
    this.#inString = false;
    this.#emit(QUOTE);
    return at + 1;
  }

  #keepString(bytes: Buffer, start: number, end: number): void {
    if (this.#droppingFrom > 0 || this.#isStringCut) return;
    const room = KEPT_STRING_BYTES - this.#stringBytes;
    const kept = Math.min(room, end - start);
    this.#copy(bytes, start, start + kept);
    this.#stringBytes += kept;
    if (end - start <= room) return;
    this.#isStringCut = true;
    this.#wasCut = true;
    this.#backToCharacterStart();
  }

  /** A cut must split neither a UTF-8 character nor an escape; the start of a run of backslashes always begins one. */
  #backToCharacterStart(): void {
    const first = this.#size - this.#stringBytes;
    let size = this.#size;
    while (size > first && ((this.#out[size - 1] ?? 0) & 0xc0) === 0x80) size -= 1;
    if (size > first && (this.#out[size - 1] ?? 0) >= 0xc0) size -= 1;
    const backslash = this.#out.lastIndexOf(BACKSLASH, size - 1);
    if (backslash >= first && backslash >= size - 6) size = backslash;
    while (size > first && this.#out[size - 1] === BACKSLASH) size -= 1;
    this.#size = size;
  }

  #passStructure(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#emit(byte);
        this.#inString = true;
        this.#isStringCut = false;
        this.#stringBytes = 0;
        return at + 1;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(byte);
      else if (byte === COMMA && this.#size > KEPT_BYTES && this.#depth > 2) this.#dropRest();
      else this.#emit(byte);
    }
    return end;
  }

  #open(byte: number): void {
    this.#emit(byte);
    this.#depth += 1;
    if (this.#depth > KEPT_DEPTH) this.#dropRest();
  }

  #close(byte: number): void {
    if (this.#depth === this.#droppingFrom) this.#droppingFrom = 0;
    this.#depth -= 1;
    this.#emit(byte);
  }

  #dropRest(): void {
    if (this.#droppingFrom > 0) return;
    this.#droppingFrom = this.#depth;
    this.#wasCut = true;
  }

  #emit(byte: number): void {
    if (this.#droppingFrom > 0) return;
    if (this.#size === this.#out.length) this.#grow(this.#size + 1);
    this.#out[this.#size] = byte;
    this.#size += 1;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (size > this.#out.length) this.#grow(size);
    const out = this.#out;
    for (let from = start, to = this.#size; from < end; from++, to++) out[to] = bytes[from] as number;
    this.#size = size;
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafe(Math.max(size, this.#out.length * 2));
    this.#out.copy(larger, 0, 0, this.#size);
    this.#out = larger;
  }
}
