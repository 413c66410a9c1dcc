import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const [HEIGHT, FLOOR, LEFT, TOP] = [240, 210, 56, 16];

/** A part of a column. */
export interface Piece {
  readonly name: string;
  readonly amount: number;
}

export interface Column {
  readonly key: string;
  /** The tooltip, also for screen readers. */
  readonly label: string;
  readonly pieces: readonly Piece[];
  /** An amount is missing because it is unknown. */
  readonly isUnknown?: boolean;
  onOpen(): void;
}

interface ColumnsProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  readonly ends: readonly [first: string, last: string];
  /** Maximum width of a column, in pixels. */
  readonly widest?: number;
  format(amount: number): string;
  readonly children?: ComponentChildren;
}

/** A chart of stacked columns; each is a link. */
export function Columns({ title, names, columns, ends, widest = 28, format, children }: ColumnsProps) {
  const highest = roundUp(Math.max(...columns.map(sumOf), Number.MIN_VALUE));
  const { box, width } = useWidth<HTMLElement>();
  const step = (width - LEFT) / Math.max(columns.length, 7);
  return (
    <figure class="plot" ref={box}>
      <figcaption>
        {title}
        {children}
        <ul class="series">
          {names.map((name, index) => (
            <li key={name} class={`series-${index % SERIES}`}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="group" aria-label={title}>
        {[0, 0.5, 1].map((share) => (
          <g key={share} class="scale">
            <line x1={LEFT} x2={width} y1={toY(share)} y2={toY(share)} />
            <text x={LEFT - 8} y={toY(share) + 4} text-anchor="end">
              {format(highest * share)}
            </text>
          </g>
        ))}
        {columns.map((column, index) => (
          <Stack
            key={column.key}
            column={column}
            names={names}
            x={LEFT + index * step}
            width={Math.max(1, Math.min(widest, step - (step > 4 ? 2 : 0)))}
            highest={highest}
          />
        ))}
        {toLabelled(columns, step).map((index) => (
          <text
            key={columns[index]?.key}
            class="value"
            x={LEFT + index * step + Math.min(widest, step) / 2}
            y={toY(sumOf(columns[index] ?? NOTHING) / highest) - 4}
            text-anchor={index * step < VALUE_WIDTH ? "start" : "middle"}
          >
            {format(sumOf(columns[index] ?? NOTHING))}
          </text>
        ))}
        <Ends ends={ends} columns={columns.length} step={step} />
      </svg>
    </figure>
  );
}

const NOTHING: Pick<Column, "pieces"> = { pieces: [] };
const VALUE_WIDTH = 52; // pixels

/** Columns with their value above: all where there is room, else the highest. */
function toLabelled(columns: readonly Column[], step: number): number[] {
  const used = columns.flatMap((column, index) => (sumOf(column) > 0 ? [index] : []));
  if (step >= VALUE_WIDTH) return used;
  const sums = columns.map(sumOf);
  const highest = sums.indexOf(Math.max(...sums));
  return used.includes(highest) ? [highest] : [];
}

/** Number of colours; further names reuse them. */
const SERIES = 11;

function sumOf({ pieces }: Pick<Column, "pieces">): number {
  return pieces.reduce((sum, { amount }) => sum + amount, 0);
}

/** Rounds up to a number that is easy to read, and so is its half. */
function roundUp(amount: number): number {
  const digit = 10 ** Math.floor(Math.log10(amount));
  return (ROUND.find((round) => round * digit >= amount) ?? 10) * digit;
}

const ROUND = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];

interface EndsProps extends Pick<ColumnsProps, "ends"> {
  readonly columns: number;
  readonly step: number;
}

const END_LABEL = 76; // pixels

/** Labels the first and the last column. */
function Ends({ ends: [first, last], columns, step }: EndsProps) {
  const isWide = step >= END_LABEL;
  const end = LEFT + (isWide ? columns - 1 : columns) * step;
  return (
    <>
      <text x={LEFT} y={HEIGHT - 8}>
        {first}
      </text>
      {columns > 1 && columns * step > 2 * END_LABEL ? (
        <text x={end} y={HEIGHT - 8} {...(isWide ? {} : { "text-anchor": "end" as const })}>
          {last}
        </text>
      ) : null}
    </>
  );
}

function toY(share: number): number {
  return FLOOR - share * (FLOOR - TOP);
}

interface StackProps {
  readonly column: Column;
  readonly names: readonly string[];
  readonly x: number;
  readonly width: number;
  readonly highest: number;
}

function Stack({ column, names, x, width, highest }: StackProps) {
  const { label, pieces, isUnknown, onOpen } = column;
  let below = 0;
  const rects = pieces
    .filter(({ amount }) => amount > 0)
    .map(({ name, amount }) => {
      below += amount;
      const height = (amount / highest) * (FLOOR - TOP);
      const series = `series-${Math.max(0, names.indexOf(name)) % SERIES}`;
      return <rect key={name} class={series} x={x} y={toY(below / highest)} width={width} height={height} />;
    });
  const top = toY(below / highest);
  return (
    <g
      class="mark"
      role="link"
      tabIndex={0}
      aria-label={label}
      onClick={onOpen}
      onKeyDown={({ key }) => key === "Enter" && onOpen()}
    >
      <title>{label}</title>
      <rect class="touch" x={x - 1} y={0} width={width + 2} height={FLOOR} />
      {rects}
      {isUnknown ? <rect class="unknown" x={x} y={top - 8} width={width} height={8} /> : null}
    </g>
  );
}

const DEFAULT_WIDTH = 960; // pixels

/** The width of an element: drawings use real pixels, so that text keeps its size on a phone. */
export function useWidth<Box extends Element>() {
  const box = useRef<Box>(null);
  const [width, setWidth] = useState(DEFAULT_WIDTH);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(Math.max(200, Math.round(element.getBoundingClientRect().width)));
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
