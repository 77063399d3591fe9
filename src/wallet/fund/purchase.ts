/** A purchase from its first quote to the provider's final status. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Fixed } from '../../../contract/money.ts';
import { whileSeen } from '../../platform/resting-timer.ts';
import { reportWallet } from '../wallet-analytics.ts';
import type { Market, Onramp } from './onramp-quotes.ts';
import { paymentMethods, type PaymentMethod } from './payment-methods.ts';
import { hearPurchases, type PurchaseError } from './purchase-window.ts';

export type PurchaseCode = 'EXCHANGE_RATE_ERROR' | 'NO_PAYMENT_METHODS' | 'PAYMENT_METHODS_ERROR';

export type PurchaseStatus =
  | { statusName: 'init' | 'exit' | 'transactionPending'; statusData: null }
  | { statusName: 'error'; statusData: PurchaseError }
  | { statusName: 'transactionSuccess'; statusData: unknown };

export interface PurchaseEvents {
  onStatus?: (status: PurchaseStatus) => void;
  onError?: (error: PurchaseError) => void;
  onSuccess?: (data: unknown) => void;
}

/** What is read before a purchase; null while it is under way, the code where it failed. */
export interface Terms {
  rate: Fixed | null | 'EXCHANGE_RATE_ERROR';
  /** When the rate was read, device clock, ms. */
  ratedAt: number | null;
  methods: PaymentMethod[] | null | 'NO_PAYMENT_METHODS' | 'PAYMENT_METHODS_ERROR';
}

const asError = (code: PurchaseCode, cause?: unknown): PurchaseError => ({
  errorType: 'handled_error',
  code,
  ...(cause === undefined
    ? {}
    : { debugMessage: cause instanceof Error ? cause.message : 'the provider gave no reason' }),
});

/**
 * The status as the window of the last purchase tells it, and the two callbacks that hang on it. An
 * earlier one may still be open: what it says is of another purchase.
 */
export function usePurchaseStatus(events: PurchaseEvents): {
  status: PurchaseStatus;
  opened: (its: Window) => void;
  left: (its: Window) => void;
} {
  const newest = useRef<Window | null>(null);
  const [status, setStatus] = useState<PurchaseStatus>({ statusName: 'init', statusData: null });
  const heard = useRef(events);
  useEffect(() => {
    heard.current = events;
  });
  useEffect(() => {
    heard.current.onStatus?.(status);
    if (status.statusName === 'error') {
      heard.current.onError?.(status.statusData);
      reportWallet('fundFailure', {
        error: status.statusData.debugMessage ?? status.statusData.errorType,
      });
    }
    if (status.statusName === 'transactionSuccess') {
      heard.current.onSuccess?.(status.statusData);
      reportWallet('fundSuccess', {});
    }
  }, [status]);
  useEffect(
    () =>
      hearPurchases(({ data, error, eventName }, from) => {
        if (from !== newest.current) return;
        if (eventName === 'transition_view')
          setStatus({ statusName: 'transactionPending', statusData: null });
        else if (eventName === 'error')
          setStatus({ statusName: 'error', statusData: error ?? { errorType: 'unknown_error' } });
        else if (eventName === 'exit') setStatus({ statusName: 'exit', statusData: null });
        else if (eventName === 'success')
          setStatus({ statusName: 'transactionSuccess', statusData: data ?? null });
      }),
    [],
  );
  const opened = useCallback((its: Window) => {
    newest.current = its;
    setStatus({ statusName: 'transactionPending', statusData: null });
  }, []);
  /** The window was closed: what has been paid or refused by then stands. */
  const left = useCallback((its: Window) => {
    if (its !== newest.current) return;
    setStatus((old) =>
      old.statusName === 'transactionPending' ? { statusName: 'exit', statusData: null } : old,
    );
  }, []);
  return { status, opened, left };
}

/** How often the rate is read again while it is looked at, ms. */
const RATE_EVERY_MS = 60_000;

/** A rate that cannot be read again stays, with its age; only the first failure is told. */
function useRate(
  onramp: Onramp,
  asset: string,
  market: Market,
  attempt: number,
  fail: (cause: unknown) => void,
): Pick<Terms, 'rate' | 'ratedAt'> {
  const [known, setKnown] = useState<Pick<Terms, 'rate' | 'ratedAt'>>({
    rate: null,
    ratedAt: null,
  });
  const publish = useRef(fail);
  useEffect(() => {
    publish.current = fail;
  });
  useEffect(() => {
    let current = true;
    const read = async (isFirst: boolean): Promise<void> => {
      try {
        const rate = await onramp.rate(asset, market);
        if (current) setKnown({ rate, ratedAt: Date.now() });
      } catch (cause) {
        if (!current || !isFirst) return;
        setKnown({ rate: 'EXCHANGE_RATE_ERROR', ratedAt: null });
        publish.current(cause);
      }
    };
    setKnown({ rate: null, ratedAt: null });
    void read(true);
    const stop = whileSeen(RATE_EVERY_MS, () => {
      void read(false);
    });
    return () => {
      current = false;
      stop();
    };
  }, [onramp, asset, market, attempt]);
  return known;
}

/** Rate and ways to pay, read side by side; one that fails leaves the other standing. */
export function useTerms(
  onramp: Onramp,
  asset: string,
  market: Market,
  onError: PurchaseEvents['onError'],
): Terms & { again: () => void } {
  const [methods, setMethods] = useState<Terms['methods']>(null);
  const [attempt, setAttempt] = useState(0);
  const publish = useRef(onError);
  useEffect(() => {
    publish.current = onError;
  });
  const rated = useRate(onramp, asset, market, attempt, (cause) => {
    publish.current?.(asError('EXCHANGE_RATE_ERROR', cause));
  });
  useEffect(() => {
    let current = true;
    const settle = (read: Terms['methods'], cause?: unknown): void => {
      if (!current) return;
      setMethods(read);
      if (typeof read === 'string') publish.current?.(asError(read, cause));
    };
    setMethods(null);
    onramp.currencies(market).then(
      (offered) => {
        const offers = paymentMethods(offered, market.currency, market.country);
        settle(offers.length === 0 ? 'NO_PAYMENT_METHODS' : offers);
      },
      (cause: unknown) => {
        settle('PAYMENT_METHODS_ERROR', cause);
      },
    );
    return () => {
      current = false;
    };
  }, [onramp, market, attempt]);
  const again = useCallback(() => {
    setAttempt((old) => old + 1);
  }, []);
  return { ...rated, methods, again };
}
