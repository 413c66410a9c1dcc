let name = "turnlog";
let badge = 0;

export function setPageTitle(text: string): void {
  name = text;
  write();
}

/** A number in front of the title, as on the tab of a mailbox; none for 0. */
export function setTitleBadge(count: number): void {
  badge = count;
  write();
}

function write(): void {
  document.title = badge > 0 ? `(${badge}) ${name}` : name;
}
