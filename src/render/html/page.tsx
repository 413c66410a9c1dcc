import type { ComponentChildren } from "preact";
import type { Totals } from "../../session/outline.js";
import type { ShownHeader } from "../shown-session.js";
import { Contents } from "./contents.js";
import type { ContentsEntry } from "./contents-entry.js";
import { IconSheet } from "./icon.js";
import { SessionHeader } from "./session-header.js";
import { KeysDialog, Toolbar } from "./toolbar.js";

/** One file of an export: the only one, the index of several, or one of its parts. */
export interface PageProps {
  readonly header: ShownHeader;
  readonly totals: Totals;
  readonly entries: readonly ContentsEntry[];
  /** The parts of a session that is too large for one page; empty where it is not. */
  readonly parts: readonly PartLink[];
  readonly children: ComponentChildren;
}

export interface PartLink {
  readonly href: string;
  readonly label: string;
  readonly isThis: boolean;
}

export function Page({ header, totals, entries, parts, children }: PageProps) {
  return (
    <>
      <IconSheet />
      <a class="skip" href="#session">
        Skip to the session
      </a>
      <Toolbar />
      <div class="columns">
        <nav id="contents" aria-label="Contents">
          <PartLinks parts={parts} />
          <Contents entries={entries} />
        </nav>
        <main id="session" tabIndex={-1}>
          <SessionHeader header={header} totals={totals} />
          {children}
          <Neighbours parts={parts} />
        </main>
      </div>
      <KeysDialog />
      <p id="said" role="status" />
    </>
  );
}

function PartLinks({ parts }: Pick<PageProps, "parts">) {
  if (parts.length === 0) return null;
  return (
    <ul class="part-links" aria-label="Parts">
      {parts.map(({ href, label, isThis }) => (
        <li key={href}>
          <a href={href} {...(isThis ? { "aria-current": "page" as const } : {})}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Neighbours({ parts }: Pick<PageProps, "parts">) {
  const at = parts.findIndex(({ isThis }) => isThis);
  const links = [parts[at - 1], parts[at + 1]].flatMap((part) => part ?? []);
  if (at < 0 || links.length === 0) return null;
  return (
    <p class="neighbours">
      {links.map(({ href, label }) => (
        <a key={href} href={href} rel={href === parts[at - 1]?.href ? "prev" : "next"}>
          {label}
        </a>
      ))}
    </p>
  );
}
