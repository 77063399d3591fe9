/**
 * Whether the amounts in the kit's card are a price that was asked for, and how long it has stood. The
 * kit puts in whatever answer comes, shows it without an age, and would sell at whatever price it
 * finds when it is pressed.
 */
import { useEffect, useRef, useState } from 'react';
import { useSwapContext } from '@coinbase/onchainkit/swap';
import { usePast } from '../../components/use-now.ts';

/** After this a price is no longer taken for the present one, ms. */
const PRICE_STANDS_MS = 60_000;

/** The two amounts and the address of the coin that is sold. */
interface Amounts {
  sell: string | undefined;
  buy: string;
  coin: string | undefined;
}

const isSame = (a: Amounts, b: Amounts): boolean =>
  a.sell === b.sell && a.buy === b.buy && a.coin === b.coin;

/** Turning the two coins round turns a price with them, and asks for no other. */
const isTurned = (a: Amounts, b: Amounts): boolean =>
  a.sell === b.buy && a.buy === b.sell && a.coin !== b.coin;

export interface ShownPrice {
  /** The amounts shown belong together. */
  isPriced: boolean;
  /** They do, and have stood too long. */
  isOld: boolean;
  /** An answer for other amounts was put in their place. */
  isForeign: boolean;
}

/** Of the card around it. */
export function usePrice(): ShownPrice {
  const { from, lifecycleStatus, to } = useSwapContext();
  const shown: Amounts = { sell: from.amount, buy: to.amount, coin: from.token?.address };
  const [price, setPrice] = useState<(Amounts & { at: number }) | null>(null);
  const [isForeign, setIsForeign] = useState(false);
  const isPriced = price !== null && (isSame(shown, price) || isTurned(shown, price));
  const now = useRef({ shown, isPriced });
  useEffect(() => {
    now.current = { shown, isPriced };
  });
  useEffect(() => {
    if (lifecycleStatus.statusName !== 'amountChange') return;
    const { amountFrom, amountTo, isMissingRequiredField, tokenFrom } = lifecycleStatus.statusData;
    const told = { sell: amountFrom, buy: amountTo, coin: tokenFrom?.address };
    // A price that is asked for, or a turn before there is one.
    if (isMissingRequiredField) setIsForeign(false);
    // The card tells of a turn as of a price, with the amounts as they were before it.
    else if (isSame(told, now.current.shown)) {
      setPrice({ ...told, at: Date.now() });
      setIsForeign(false);
    } else setIsForeign(!now.current.isPriced);
  }, [lifecycleStatus]);
  const isPast = usePast((price?.at ?? Infinity) + PRICE_STANDS_MS);
  return {
    isPriced,
    isOld: isPriced && isPast,
    isForeign: isForeign && !isPriced && shown.buy !== '',
  };
}
