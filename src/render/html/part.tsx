import { neutralize } from "../neutralize.js";
import type { TodoItem, ViewPart } from "../tools/tool-view.js";
import { CodeBlock } from "./code-block.js";
import { DiffBlock } from "./diff-block.js";
import { Icon } from "./icon.js";
import { Picture } from "./picture.js";
import { Markdown, PlainText } from "./prose.js";
import { ScrollBox } from "./scroll-box.js";

/** One part of what a tool did, whichever tool it was. */
export function Part({ part }: { readonly part: ViewPart }) {
  switch (part.kind) {
    case "code":
      return <CodeBlock {...part} />;
    case "diff":
      return <DiffBlock {...part} />;
    case "text":
      return <Note {...part} />;
    case "markdown":
      return (
        <figure class="part">
          {part.label === undefined ? null : <figcaption>{neutralize(part.label)}</figcaption>}
          <Markdown text={part.text} />
        </figure>
      );
    case "table":
      return <Table {...part} />;
    case "todos":
      return <Todos items={part.items} />;
    case "image":
      return <Picture {...part} />;
    case "json":
      return <Json {...part} />;
    case "agent":
      return part.agentId === null ? null : <Note text={part.agentId} label="sub-agent" />;
  }
}

function Note({ text, label, isError }: Omit<Extract<ViewPart, { kind: "text" }>, "kind">) {
  return (
    <div class={isError ? "note is-error" : "note"}>
      {label === undefined ? null : <span class="label">{neutralize(label)}</span>}
      <PlainText text={text} />
    </div>
  );
}

function Json({ value, label }: Omit<Extract<ViewPart, { kind: "json" }>, "kind">) {
  const text = JSON.stringify(value, null, 2) ?? "nothing";
  return <CodeBlock text={text} language="json" {...(label === undefined ? {} : { label })} />;
}

function Table({ head, rows }: Omit<Extract<ViewPart, { kind: "table" }>, "kind">) {
  return (
    <ScrollBox class="table-box" label="table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (cell === "" ? <td key={index} /> : <th key={index}>{neutralize(cell)}</th>))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Cell text={neutralize(cell)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Addresses are the only links in tables. */
function Cell({ text }: { readonly text: string }) {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  return (
    <a href={text} rel="noopener noreferrer">
      {text}
    </a>
  );
}

function Todos({ items }: { readonly items: readonly TodoItem[] }) {
  return (
    <ul class="todos">
      {items.map(({ text, state }, index) => (
        <li key={index} class={state}>
          <Icon name={state} label={state} />
          <span dir="auto">{neutralize(text)}</span>
        </li>
      ))}
    </ul>
  );
}
