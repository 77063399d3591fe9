/** A diagram of how a price becomes a trade, with the same in words. */

const WIDTH = 190;
const HEIGHT = 46;
const STEP = 70;
const SIDE_X = 226;
const SIDE_WIDTH = 132;

/** From top to bottom. */
const CHAIN: readonly (readonly [title: string, text: string])[] = [
  ['Prices', 'a candle closes'],
  ['Signal', 'strength from 0 to 1'],
  ['Threshold', 'strong enough?'],
  ['Guards', 'any reason not to?'],
  ['Size', 'the lowest limit wins'],
  ['Fill', 'at the next price, with costs'],
  ['Ledger', 'every unit accounted for'],
];
const top = (row: number): number => 2 + row * STEP;
const middle = (row: number): number => top(row) + HEIGHT / 2;

const WORDS = [
  'A candle closes. The pool turns prices into a signal strength.',
  'Below the threshold, or if a guard blocks it, nothing is traded, and the decision says why.',
  'Otherwise the lowest limit sets the size, and the order fills at the next price.',
  'From then on, the stop loss is checked on every price. Every movement is in the ledger.',
] as const;

function Box({
  x,
  y,
  width,
  title,
  text,
  stroke = 'var(--line-strong)',
}: {
  x: number;
  y: number;
  width: number;
  title: string;
  text: string;
  stroke?: string;
}) {
  return (
    <g>
      <rect
        x={x}
        y={y}
        width={width}
        height={HEIGHT}
        rx="6"
        fill="var(--surface)"
        stroke={stroke}
      />
      <text
        x={x + width / 2}
        y={y + 20}
        textAnchor="middle"
        fontSize="13"
        fontWeight="600"
        fill="var(--ink)"
      >
        {title}
      </text>
      <text x={x + width / 2} y={y + 36} textAnchor="middle" fontSize="11.5" fill="var(--ink-2)">
        {text}
      </text>
    </g>
  );
}

function Arrowheads() {
  return (
    <defs>
      <marker
        id="how-end"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto"
      >
        <path d="M0 0L8 4L0 8Z" fill="var(--ink-3)" />
      </marker>
      <marker
        id="how-aside"
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        orient="auto"
      >
        <path d="M0 0L8 4L0 8Z" fill="var(--amber)" />
      </marker>
    </defs>
  );
}

function Arrows() {
  return (
    <>
      {CHAIN.slice(1).map(([title], row) => (
        <path
          key={title}
          d={`M${1 + WIDTH / 2} ${top(row) + HEIGHT}V${top(row + 1) - 2}`}
          stroke="var(--ink-3)"
          strokeWidth="1.25"
          markerEnd="url(#how-end)"
        />
      ))}
      {/* No trade: the reason is recorded. */}
      <path
        d={`M${WIDTH + 1} ${middle(2)}H${SIDE_X - 2}M${WIDTH + 1} ${middle(3)}H${SIDE_X + SIDE_WIDTH / 2}V${top(2) + HEIGHT + 3}`}
        fill="none"
        stroke="var(--amber)"
        strokeWidth="1.25"
        strokeDasharray="4 3"
        markerEnd="url(#how-aside)"
      />
      <path
        d={`M${WIDTH + 1} ${middle(5)}H${SIDE_X - 2}`}
        stroke="var(--ink-3)"
        strokeWidth="1.25"
        markerEnd="url(#how-end)"
      />
      <path
        d={`M${SIDE_X + SIDE_WIDTH / 2} ${top(5) + HEIGHT}V${middle(6)}H${WIDTH + 4}`}
        fill="none"
        stroke="var(--ink-3)"
        strokeWidth="1.25"
        markerEnd="url(#how-end)"
      />
    </>
  );
}

export function HowItWorksDiagram() {
  return (
    <figure className="not-prose my-6 grid min-w-0 items-center gap-x-8 gap-y-4 sm:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
      <svg
        viewBox={`0 0 360 ${top(CHAIN.length - 1) + HEIGHT + 2}`}
        role="img"
        aria-labelledby="how-title how-words"
        className="h-auto w-full max-w-96"
      >
        <title id="how-title">From price to ledger entry</title>
        <desc id="how-words">{WORDS.join(' ')}</desc>
        <Arrowheads />
        <Arrows />
        {CHAIN.map(([title, text], row) => (
          <Box key={title} x={1} y={top(row)} width={WIDTH} title={title} text={text} />
        ))}
        <Box
          x={SIDE_X}
          y={top(2)}
          width={SIDE_WIDTH}
          title="No trade"
          text="with its reason"
          stroke="var(--amber)"
        />
        <Box
          x={SIDE_X}
          y={top(5)}
          width={SIDE_WIDTH}
          title="Stop loss"
          text="on every price"
          stroke="var(--accent)"
        />
      </svg>
      <figcaption className="space-y-3 text-ink-2">
        {WORDS.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </figcaption>
    </figure>
  );
}
