/** The text of a style sheet with its imports. */
declare module "*.css?inline" {
  const text: string;
  export default text;
}

/** A browser script, bundled into one text. */
declare module "*.js?bundled" {
  const text: string;
  export default text;
}
