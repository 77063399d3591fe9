/**
 * How long the price in the kit's card has stood. The kit shows it without an age and would sell at
 * whatever price it finds when it is pressed.
 */
import { useCallback, useRef, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/swap';
import { usePast } from '../../components/use-now.ts';

/** After this a price is no longer taken for the present one, ms. */
const PRICE_STANDS_MS = 60_000;

/** `isOld`: there is a price, and it has stood too long. */
export function usePriceAge(): { followPrice: (status: LifecycleStatus) => void; isOld: boolean } {
  const [pricedAt, setPricedAt] = useState(Infinity);
  const asked = useRef(false);
  const followPrice = useCallback(({ statusData, statusName }: LifecycleStatus) => {
    if (statusName === 'init' || statusName === 'success') setPricedAt(Infinity);
    if (statusName !== 'amountChange') return;
    // Turning the two coins round changes the amounts too, and asks for no price.
    if (asked.current && !statusData.isMissingRequiredField) setPricedAt(Date.now());
    asked.current = statusData.isMissingRequiredField;
    if (asked.current) setPricedAt(Infinity);
  }, []);
  return { followPrice, isOld: usePast(pricedAt + PRICE_STANDS_MS) };
}
