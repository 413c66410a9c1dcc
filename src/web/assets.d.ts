/** Styles of views that are loaded when they are needed. */
declare module "*.css";
