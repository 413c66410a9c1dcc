/** How help describes the session that a command takes. */
export const SESSION = "file path, id, unique id prefix, exact title, or `last`";
