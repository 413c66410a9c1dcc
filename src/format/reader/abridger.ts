import { JsonWalker } from "./json-scanner.js";

const NUL = 0x00;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

const KEPT_STRING_BYTES = 2048;
/** The deepest that meaning looks: `message.content[].type`, `compactMetadata.preservedMessages.uuids`. */
const KEPT_DEPTH = 4;
/** Up to here a loop copies faster than a native call. */
const NEAR_BYTES = 32;
const MEGABYTE = 1024 * 1024;
/** When this much is kept, a list or object of that depth is closed early: ids are often at a record's end. */
const ROOM_AT_DEPTH = [32 * MEGABYTE, 16 * MEGABYTE, 8 * MEGABYTE, 4 * MEGABYTE, 4 * MEGABYTE];
/** Only what has no commas grows further: endless digits, brackets, text outside of strings. It is no record. */
const MAX_BYTES = 32 * MEGABYTE;

/**
 * Shortens one JSON text while its bytes pass by: long strings keep their beginning, deep lists and objects become empty.
 * What comes out is JSON if the input was, so that a line of several gigabytes, or the skeleton of a large file, costs
 * only its small fields. Of what is left out only quotes, brackets and NUL are looked at. Chunks may end anywhere.
 */
export class Abridger extends JsonWalker {
  #out: Buffer;
  #size = 0;
  #droppingFrom = 0; // the depth of the list or object whose rest is dropped, 0 = none
  #stringBytes = 0;
  #isStringCut = false;
  #wasCut = false;
  #ranOutOfRoom = false;
  #nextNul = 0; // in the chunk at hand
  #sawNulInString = false; // a crash leaves runs of NUL: the output must be as broken as the input

  /** `room` is used for the output as far as it goes. */
  constructor(room = Buffer.allocUnsafe(8192)) {
    super();
    this.#out = room;
  }

  /** Whether anything was left out. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Whether fields or list items that meaning may look for were left out. */
  get ranOutOfRoom(): boolean {
    return this.#ranOutOfRoom;
  }

  override push(bytes: Buffer, start: number, end: number): void {
    this.#nextNul = start - 1;
    super.push(bytes, start, end);
  }

  finish(): Buffer {
    if (this.#sawNulInString) this.#append(BACKSLASH);
    return this.#out.subarray(0, this.#size);
  }

  protected override openString(): void {
    this.#emit(QUOTE);
    this.#isStringCut = false;
    this.#stringBytes = 0;
  }

  protected override passText(bytes: Buffer, start: number, end: number): void {
    this.#keepText(bytes, start, end);
    this.#checkForNul(bytes, start, end);
  }

  protected override closeString(): void {
    this.#emit(QUOTE);
  }

  protected override open(byte: number): void {
    this.#emit(byte);
    if (this.depth > KEPT_DEPTH) this.#dropRest();
  }

  protected override close(byte: number): void {
    if (this.depth === this.#droppingFrom) this.#droppingFrom = 0;
    this.#emit(byte);
  }

  protected override passByte(byte: number): void {
    if (byte === COMMA && this.#size > (ROOM_AT_DEPTH[this.depth] ?? 0)) this.#runOutOfRoom();
    else if (byte > SPACE || byte !== this.#out[this.#size - 1]) this.#emit(byte);
  }

  #checkForNul(bytes: Buffer, start: number, end: number): void {
    if (this.#nextNul < start) {
      const next = bytes.indexOf(NUL, start);
      this.#nextNul = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    if (this.#nextNul < end) this.#sawNulInString = true;
  }

  #keepText(bytes: Buffer, start: number, end: number): void {
    if (this.#droppingFrom > 0 || this.#isStringCut || this.#size >= MAX_BYTES) return;
    const room = KEPT_STRING_BYTES - this.#stringBytes;
    const kept = Math.min(room, end - start);
    this.#copy(bytes, start, start + kept);
    this.#stringBytes += kept;
    if (end - start <= room) return;
    this.#isStringCut = true;
    this.#wasCut = true;
    this.#backToCharacterStart();
  }

  /** A cut must split neither a UTF-8 character nor an escape nor a pair of escaped surrogates. */
  #backToCharacterStart(): void {
    const first = this.#size - this.#stringBytes;
    let size = this.#size;
    while (size > first && ((this.#out[size - 1] ?? 0) & 0xc0) === 0x80) size -= 1;
    if (size > first && (this.#out[size - 1] ?? 0) >= 0xc0) size -= 1;
    size = this.#escapeStart(first, size);
    const isPairSplit = /\\u[dD][89abAB]..$/.test(this.#out.toString("latin1", Math.max(first, size - 6), size));
    this.#size = isPairSplit ? this.#escapeStart(first, size) : size;
  }

  /** Before the last backslash if it may begin an unfinished escape; the start of a run of them always begins one. */
  #escapeStart(first: number, size: number): number {
    const near = Math.max(first, size - 6);
    const backslash = this.#out.subarray(near, size).lastIndexOf(BACKSLASH);
    if (backslash < 0) return size;
    let start = near + backslash;
    while (start > first && this.#out[start - 1] === BACKSLASH) start -= 1;
    return start;
  }

  #dropRest(): void {
    if (this.#droppingFrom > 0) return;
    this.#droppingFrom = this.depth;
    this.#wasCut = true;
  }

  #runOutOfRoom(): void {
    if (this.#droppingFrom > 0) return;
    this.#ranOutOfRoom = true;
    this.#dropRest();
  }

  #emit(byte: number): void {
    if (this.#droppingFrom > 0 || this.#size >= MAX_BYTES) return;
    this.#append(byte);
  }

  #append(byte: number): void {
    if (this.#size === this.#out.length) this.#grow(this.#size + 1);
    this.#out[this.#size] = byte;
    this.#size += 1;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (size > this.#out.length) this.#grow(size);
    const out = this.#out;
    if (end - start > NEAR_BYTES) bytes.copy(out, this.#size, start, end);
    else for (let from = start, to = this.#size; from < end; from++, to++) out[to] = bytes[from] as number;
    this.#size = size;
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafe(Math.max(size, this.#out.length * 2));
    this.#out.copy(larger, 0, 0, this.#size);
    this.#out = larger;
  }
}
