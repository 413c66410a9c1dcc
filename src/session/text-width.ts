import stringWidth from "string-width";

/** How many columns of a terminal a text takes. Most texts are ASCII, where counting is a hundred times faster. */
export function textWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

const PRINTABLE_ASCII = /^[ -~]*$/;
