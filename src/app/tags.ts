/** A tag as it is kept; undefined where a text can be none. */
export function toTagName(text: string): string | undefined {
  const tag = text.trim().normalize("NFC");
  return tag === "" || /[\p{Cc},]/u.test(tag) ? undefined : tag;
}

/** `Bug` and `bug` are one tag. */
export function isSameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
