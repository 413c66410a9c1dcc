/** The text of a file. */
declare module "*.css?raw" {
  const text: string;
  export default text;
}

/** A program for the browser, bundled into one text. */
declare module "*.js?bundled" {
  const text: string;
  export default text;
}
