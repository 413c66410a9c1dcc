/** Files below the project are named from there. */
export function withoutProject(text: string, project: string | null): string {
  return project ? text.replaceAll(`${project}/`, "") : text;
}
