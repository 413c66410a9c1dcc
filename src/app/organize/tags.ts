/** The text as a tag; undefined if it is not a valid tag. */
export function toTagName(text: string): string | undefined {
  const tag = text.trim().normalize("NFC");
  return tag === "" || /[\p{Cc},]/u.test(tag) ? undefined : tag;
}

/** `Bug` and `bug` are one tag. */
export function isSameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
