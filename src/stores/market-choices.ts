/** Favourites and columns of the market, kept on this device and merged with other tabs. */
import { proxy } from 'valtio';
import { SYMBOL_CHOICES_MAX } from '../../contract/limits.ts';
import { session } from '../identity/session.ts';
import { changePreference, readPreference } from '../offline/device-preferences.ts';

export const MARKET_COLUMNS = [
  'line',
  'high',
  'low',
  'volume',
  'bid',
  'ask',
  'spread',
  'age',
] as const;
export type MarketColumn = (typeof MARKET_COLUMNS)[number];
const USUAL_COLUMNS: readonly MarketColumn[] = ['line', 'high', 'low', 'volume'];

export interface MarketChoices {
  /**
   * Whether the choices are loaded: until then nothing is sorted, so that the order does not change
   * at once.
   */
  ready: boolean;
  favourites: string[];
  columns: MarketColumn[];
  favouritesFirst: boolean;
}

const unchosen = (): MarketChoices => ({
  ready: false,
  favourites: [],
  columns: [...USUAL_COLUMNS],
  favouritesFirst: true,
});
export const marketChoices = proxy<MarketChoices>(unchosen());

const isColumn = (name: string): name is MarketColumn => MARKET_COLUMNS.some((one) => one === name);
const known = (names: readonly string[]): MarketColumn[] =>
  MARKET_COLUMNS.filter((name) => names.filter(isColumn).includes(name));

/** Loads a user's choices; `present` says whether they are still logged in. */
export async function loadChoices(uid: string, present: () => boolean = () => true): Promise<void> {
  try {
    const [favourites, view] = await Promise.all([
      readPreference(uid, 'favourites'),
      readPreference(uid, 'marketView'),
    ]);
    if (!present()) return;
    if (favourites !== null) marketChoices.favourites = favourites;
    if (view !== null) {
      marketChoices.columns = known(view.columns);
      marketChoices.favouritesFirst = view.favouritesFirst;
    }
  } finally {
    if (present()) marketChoices.ready = true;
  }
}

export type Kept = 'kept' | 'not-kept' | 'full';

/** Adds or removes a favourite, on screen at once and on the device. */
export async function toggleFavourite(symbol: string): Promise<Kept> {
  const uid = session.user?.uid;
  const on = !marketChoices.favourites.includes(symbol);
  const turned = (list: readonly string[]): string[] =>
    on ? [...list.filter((one) => one !== symbol), symbol] : list.filter((one) => one !== symbol);
  if (on && marketChoices.favourites.length >= SYMBOL_CHOICES_MAX) return 'full';
  marketChoices.favourites = turned(marketChoices.favourites);
  const kept =
    uid === undefined
      ? null
      : await changePreference(uid, 'favourites', (present) => turned(present ?? []));
  if (kept === null) return 'not-kept';
  if (session.user?.uid === uid) marketChoices.favourites = kept;
  return 'kept';
}

/** Changes columns, or whether favourites come first. */
export async function chooseView(
  part: Partial<Pick<MarketChoices, 'columns' | 'favouritesFirst'>>,
): Promise<Kept> {
  const uid = session.user?.uid;
  if (part.columns !== undefined) marketChoices.columns = known(part.columns);
  if (part.favouritesFirst !== undefined) marketChoices.favouritesFirst = part.favouritesFirst;
  const view = {
    columns: [...marketChoices.columns],
    favouritesFirst: marketChoices.favouritesFirst,
  };
  return uid !== undefined && (await changePreference(uid, 'marketView', () => view)) !== null
    ? 'kept'
    : 'not-kept';
}

export function clearChoices(): void {
  Object.assign(marketChoices, unchosen());
}
