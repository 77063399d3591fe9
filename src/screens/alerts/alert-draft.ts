/** The entries of the alert form, validated field by field by the contract. */
import { AlertTerms, holdsAt, type AlertCondition } from '../../../contract/alerts.ts';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { fieldText, parseTyped } from '../../format/typed-numbers.ts';

export interface AlertDraft {
  symbol: string;
  kind: AlertCondition['kind'];
  price: string;
  /** False for a price that the form proposed: it belongs to its pair. */
  priceTyped: boolean;
  percent: string;
  direction: 'up' | 'down' | 'either';
  windowMinutes: number;
  repeatMinutes: number | null;
  note: string;
}

export type DraftErrors = Partial<Record<'symbol' | 'price' | 'percent' | 'note', string>>;

const PRICE_HINT = 'A price such as 65,000.50';
const PERCENT_HINT = 'From 0.1 to 100 percent';

/** As typed in the reader's locale; text that is no number is left for the contract to reject. */
const plainNumber = (typed: string): string => parseTyped(typed) ?? typed.trim();

/** A percentage with at most two decimals in basis points; null if it is none. */
function bpsOf(typed: string): number | null {
  const text = plainNumber(typed);
  return /^\d{1,4}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : null;
}

function conditionOf(draft: AlertDraft): unknown {
  if (draft.kind === 'move') {
    const { direction, windowMinutes } = draft;
    return { kind: 'move', direction, windowMinutes, bps: bpsOf(draft.percent) };
  }
  const text = plainNumber(draft.price);
  return { kind: draft.kind, price: /^\d+(\.\d+)?$/.test(text) ? formatOf(text) : text };
}

/** The shortest text of a price, so that 65000 and 65000.00 are the same alert. */
function formatOf(text: string): string {
  try {
    return formatFixed(parseFixed(text));
  } catch {
    return text;
  }
}

export function readDraft(
  draft: AlertDraft,
  active: boolean,
): { terms: AlertTerms } | { errors: DraftErrors } {
  const parsed = AlertTerms.safeParse({
    symbol: draft.symbol,
    condition: conditionOf(draft),
    repeatMinutes: draft.repeatMinutes,
    note: draft.note.trim(),
    active,
  });
  if (parsed.success) return { terms: parsed.data };
  const errors: DraftErrors = {};
  for (const { path, message } of parsed.error.issues) {
    if (path[0] === 'symbol') errors.symbol ??= 'Choose a pair';
    else if (path[0] === 'note') errors.note ??= message;
    else if (path[1] === 'bps') errors.percent ??= withLocalNumbers(PERCENT_HINT);
    else errors.price ??= withLocalNumbers(message.includes('decimal') ? PRICE_HINT : message);
  }
  return { errors };
}

/** How far from the current price the form proposes one: at the price itself it would not fire. */
const PROPOSED_PERCENT = 1;

const proposed = (kind: AlertCondition['kind'], price: string | null): string =>
  price === null
    ? ''
    : fieldText(shiftedPrice(price, kind === 'below' ? -PROPOSED_PERCENT : PROPOSED_PERCENT));

/** A new alert begins a little above the current price, if known. */
export function newDraft(symbol: string, price: string | null): AlertDraft {
  return {
    symbol,
    kind: 'above',
    price: proposed('above', price),
    priceTyped: false,
    percent: '5',
    direction: 'either',
    windowMinutes: 60,
    repeatMinutes: null,
    note: '',
  };
}

export function draftOf(
  { symbol, condition, repeatMinutes, note }: AlertTerms,
  price: string | null,
): AlertDraft {
  const common = { ...newDraft(symbol, price), repeatMinutes, note };
  if (condition.kind !== 'move')
    return {
      ...common,
      kind: condition.kind,
      price: fieldText(condition.price),
      priceTyped: true,
    };
  const { kind, direction, windowMinutes, bps } = condition;
  return { ...common, kind, direction, windowMinutes, percent: fieldText(bps / 100) };
}

/** Another pair: its price is proposed in place of a proposed one, and of none that was typed. */
export function withPair(
  { kind, price: present, priceTyped }: AlertDraft,
  symbol: string,
  price: string | null,
): Partial<AlertDraft> {
  if (priceTyped && present.trim() !== '') return { symbol };
  return { symbol, price: proposed(kind, price), priceTyped: false };
}

/** The other side: a price is proposed there in place of a proposed one, and of none that was typed. */
export function withKind(
  draft: AlertDraft,
  kind: AlertCondition['kind'],
  price: string | null,
): Partial<AlertDraft> {
  const isTyped = draft.priceTyped && draft.price.trim() !== '';
  if (kind === 'move' || price === null || isTyped) return { kind };
  // A step that was chosen stays where it is already on the side that is asked for.
  if (distance({ ...draft, kind }, price)?.held === false) return { kind };
  return { kind, price: proposed(kind, price), priceTyped: false };
}

/** Of a price as it happens to be shown: 0.01 stands for one with more digits. */
const SHIFTED_DIGITS = 4;

/**
 * The price that many percent away, with the decimals of the current price and at least four digits,
 * and never nearer to it than asked.
 */
export function shiftedPrice(price: string, percent: number): string {
  const shown = price.split('.')[1]?.length ?? 0;
  const needed = SHIFTED_DIGITS - 1 - Math.floor(Math.log10(Number(price)));
  const places = Math.min(12, Math.max(2, shown, needed));
  const cut = 10n ** BigInt(12 - places);
  const up = percent > 0 ? 100n * cut - 1n : 0n;
  const shifted = (parseFixed(price) * BigInt(100 + percent) + up) / (100n * cut);
  return formatFixed((shifted * cut) as ReturnType<typeof parseFixed>);
}

/** How far a typed price is from the current one in percent, and whether it is already reached. */
export function distance(
  draft: AlertDraft,
  price: string | null,
): { percent: number; held: boolean } | null {
  if (draft.kind === 'move' || price === null) return null;
  const read = readDraft(draft, true);
  if ('errors' in read || read.terms.condition.kind === 'move') return null;
  const now = parseFixed(price);
  const percent = (Number(read.terms.condition.price) / Number(price) - 1) * 100;
  return { percent, held: holdsAt(read.terms.condition, now) === true };
}
