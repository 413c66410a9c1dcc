/** The text of a style sheet and of all that it imports. */
declare module "*.css?inline" {
  const text: string;
  export default text;
}

/** A program for the browser, bundled into one text. */
declare module "*.js?bundled" {
  const text: string;
  export default text;
}
