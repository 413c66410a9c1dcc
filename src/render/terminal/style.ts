/** Bold, dim and colours; the identity if the output is not a terminal or `NO_COLOR` is set. */
export interface Style {
  readonly isColoured: boolean;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  strike(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

/** Each line gets its own sequences: pagers reset colours at the end of a line. Uses the terminal's own 16 colours. */
export function createStyle(isColoured: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    isColoured ? text.replace(/[^\n]+/g, (line) => `\u001b[${open}m${line}\u001b[${close}m`) : text;
  return {
    isColoured,
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    strike: paint(9, 29),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39),
  };
}
