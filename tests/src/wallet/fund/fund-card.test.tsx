// @vitest-environment jsdom
/**
 * The purchase card against a provider of recorded shapes on this machine: prices, ways to pay,
 * troubles, and what the provider's window says.
 */
import '../../../support/page-world.ts';
import { useState } from 'react';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { setOnchainKitConfig } from '@coinbase/onchainkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FundCard, type FundCardProps } from '../../../../src/wallet/fund/FundCard.tsx';
import { directOnramp } from '../../../../src/wallet/fund/onramp-quotes.ts';
import { connection } from '../../../../src/stores/connection.ts';
import {
  onramp,
  OPTIONS,
  QUOTE,
  startProvider,
  type ProviderServer,
} from '../../../support/provider-server.ts';

const ADDRESS = '0x00000000000000000000000000000000000000aB';
const KEYS = { apiKey: 'client-key', projectId: 'project' };
const US = { country: 'US', subdivision: 'NY', currency: 'USD' };

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  provider.answer(onramp());
  provider.asked.length = 0;
  connection.online = 'online';
  setOnchainKitConfig({ apiKey: null, config: { analytics: false } });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

interface Popup {
  closed: boolean;
  close: () => void;
  location: { href: string };
}
const popup = (): Popup => {
  const window: Popup = {
    closed: false,
    close() {
      window.closed = true;
    },
    location: { href: 'about:blank' },
  };
  return window;
};
function Typing(props: Omit<FundCardProps, 'typed' | 'setTyped'>) {
  const [typed, setTyped] = useState<FundCardProps['typed']>({ kind: 'fiat', text: '' });
  return <FundCard {...props} typed={typed} setTyped={setTyped} />;
}
const show = (props: Partial<FundCardProps> = {}) => {
  const events = { onStatus: vi.fn(), onError: vi.fn(), onSuccess: vi.fn() };
  render(
    <Typing
      asset="ETH"
      address={ADDRESS}
      market={US}
      onramp={directOnramp(KEYS)}
      {...events}
      {...props}
    />,
  );
  return events;
};
const names = (events: ReturnType<typeof show>) =>
  events.onStatus.mock.calls.map(([status]) => (status as { statusName: string }).statusName);
const card = async (name = 'Buy ETH') => screen.findByRole('form', { name });
const amount = () => screen.getByLabelText<HTMLInputElement>('Amount');
const type = (text: string): void => {
  fireEvent.change(amount(), { target: { value: text } });
};
const submit = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Buy' });
const priced = () => screen.findByText('≈ —');
/** What the provider's window says to the page that opened it. */
const says = (data: unknown, origin = 'https://pay.coinbase.com'): void => {
  window.dispatchEvent(
    new MessageEvent('message', { origin, data: JSON.stringify({ eventName: 'event', data }) }),
  );
};

describe('the purchase card', () => {
  it("asks for a quote of 100 and for the ways to pay with the client's key, country and part of it (R7-29, R9-12)", async () => {
    show();
    await priced();
    await screen.findByText('Debit card');
    const [quote, options] = ['/buy/quote', '/buy/options'].map((path) =>
      provider.asked.find((one) => one.path.includes(path)),
    );
    expect(quote).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer client-key' },
      body: {
        purchase_currency: 'ETH',
        payment_currency: 'USD',
        payment_amount: '100',
        country: 'US',
        subdivision: 'NY',
      },
    });
    expect(options).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer client-key' },
    });
    expect(options?.path).toMatch(/\?(?=.*country=US)(?=.*subdivision=NY)/);
  });

  it("has its header, takes money first or coins, and counts by the quote's own sums (R2-31, R9-12)", async () => {
    show();
    await card();
    await priced();
    // 0.039 for 97.50: 0.0004 for one.
    type('50');
    expect(screen.getByText('≈ 0.02 ETH')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Enter amount in ETH' }));
    expect(amount().value).toBe('0.02');
    type('0,1');
    expect(screen.getByText('≈ 250.00 USD')).toBeTruthy();
    cleanup();
    show({ asset: 'usdc', headerText: 'Top up' });
    await card('Top up');
    cleanup();
    show({ asset: 'usdc' });
    await card('Buy USDC');
  });

  it('holds each way to pay to its limits and says why one cannot be taken (R9-12, R2-31)', async () => {
    show();
    await priced();
    await screen.findByText('Debit card');
    expect(screen.getAllByText('Up to $500/week. No sign up required.')).toHaveLength(1);
    type('301');
    expect(screen.getByText('Maximum amount allowed is 300.00 USD')).toBeTruthy();
    expect(submit().disabled).toBe(false);
    fireEvent.click(screen.getByRole('radio', { name: /Debit card/ }));
    expect(submit().disabled).toBe(true);
    type('4');
    expect(submit().disabled).toBe(true);
    type('300');
    expect(submit().disabled).toBe(false);
  });

  it("opens the provider's page for the address on Base, with amount and method (R2-31)", async () => {
    const opened = popup();
    const open = vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
    const events = show();
    await priced();
    await screen.findByText('Debit card');
    type('25');
    fireEvent.click(screen.getByRole('radio', { name: /Debit card/ }));
    fireEvent.submit(await card());
    await waitFor(() => {
      expect(opened.location.href).toContain('https://pay.coinbase.com/buy');
    });
    expect(open).toHaveBeenCalledTimes(1);
    const page = new URL(opened.location.href).searchParams;
    expect(Object.fromEntries(page)).toMatchObject({
      appId: 'project',
      presetFiatAmount: '25',
      fiatCurrency: 'USD',
      defaultPaymentMethod: 'CARD',
      assets: '["ETH"]',
      addresses: JSON.stringify({ [ADDRESS]: ['base'] }),
    });
    await waitFor(() => {
      expect(names(events).at(-1)).toBe('transactionPending');
    });
    fireEvent.submit(await card());
    expect(open).toHaveBeenCalledTimes(1);
    opened.close();
    await waitFor(() => {
      expect(names(events).at(-1)).toBe('exit');
    });
    expect(screen.getByRole('status').textContent).toContain(
      'If you have already paid, your coins will still arrive.',
    );
  });

  it('opens one window, however often it is pressed before the page is there', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(popup() as unknown as Window);
    const busy = vi.fn();
    show({
      onramp: { ...directOnramp(KEYS), page: () => new Promise(() => undefined) },
      onBusy: busy,
    });
    await priced();
    await screen.findByText('Debit card');
    type('25');
    fireEvent.submit(await card());
    fireEvent.submit(await card());
    expect(open).toHaveBeenCalledTimes(1);
    expect(busy).toHaveBeenLastCalledWith(true);
  });

  it('says what to do when the browser lets no window open', async () => {
    vi.spyOn(window, 'open').mockReturnValue(null);
    show();
    await priced();
    await screen.findByText('Debit card');
    type('25');
    fireEvent.submit(await card());
    expect((await screen.findByRole('alert')).textContent).toContain('Allow pop-ups for this site');
  });

  it('takes no amount that is none, and none at all without the server', async () => {
    show();
    await priced();
    await screen.findByText('Debit card');
    expect(submit().disabled).toBe(true);
    for (const none of ['abc', '0', '-5', '1e3']) {
      type(none);
      expect(submit().disabled, none).toBe(true);
    }
    expect(screen.getByText('Type an amount such as 25 or 0.01.')).toBeTruthy();
    type('25');
    expect(submit().disabled).toBe(false);
    connection.online = 'offline';
    await waitFor(() => {
      expect(submit().disabled).toBe(true);
    });
  });
});

describe('the price of a purchase', () => {
  const readAt = () =>
    Number(document.querySelector('[data-age-since]')?.getAttribute('data-age-since'));
  const quotes = () => provider.asked.filter(({ path }) => path.includes('/buy/quote')).length;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is read again each minute and shown with its age: what it permits now can be bought (R2-31, R9-12)', async () => {
    const events = show();
    await priced();
    const first = Date.now();
    expect(readAt()).toBe(first);
    await screen.findByText('Debit card');
    fireEvent.click(screen.getByRole('radio', { name: /Debit card/ }));
    fireEvent.click(screen.getByRole('button', { name: 'Enter amount in ETH' }));
    type('0.13');
    expect(screen.getByText('≈ 325.00 USD')).toBeTruthy();
    expect(submit().disabled).toBe(true);
    provider.answer(
      onramp({
        quote: {
          status: 200,
          body: { ...QUOTE, purchase_amount: { value: '0.05', currency: 'ETH' } },
        },
      }),
    );
    vi.advanceTimersByTime(60_000);
    expect(await screen.findByText('≈ 253.51 USD')).toBeTruthy();
    expect(submit().disabled).toBe(false);
    expect(readAt()).toBe(first + 60_000);
    expect(quotes()).toBe(2);

    // One that cannot be read again is no failure: the last one stays, and says how old it is.
    provider.answer(onramp({ quote: { status: 500, body: {} } }));
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => {
      expect(quotes()).toBe(3);
    });
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => {
      expect(quotes()).toBe(4);
    });
    expect(screen.getByText('≈ 253.51 USD')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(events.onError).not.toHaveBeenCalled();
    expect(readAt()).toBe(first + 60_000);
  });

  it('that could not be read is read later by itself, and is not reported twice', async () => {
    provider.answer(onramp({ quote: { status: 500, body: {} } }));
    const events = show();
    await screen.findByRole('alert');
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => {
      expect(quotes()).toBe(2);
    });
    provider.answer(onramp());
    vi.advanceTimersByTime(60_000);
    await priced();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(events.onError).toHaveBeenCalledTimes(1);
  });
});

describe("a purchase's status", () => {
  it("is init first, and what the provider's window says after that; an error and a success fire their callbacks (R4-24)", async () => {
    const events = show();
    await priced();
    expect(names(events)).toEqual(['init']);
    expect([events.onError.mock.calls.length, events.onSuccess.mock.calls.length]).toEqual([0, 0]);
    says({ eventName: 'transition_view', pageRoute: '/x' });
    await waitFor(() => {
      expect(names(events).at(-1)).toBe('transactionPending');
    });
    const error = {
      errorType: 'network_error',
      code: 'ERROR',
      debugMessage: 'The card was declined',
    };
    says({ eventName: 'error', error });
    await waitFor(() => {
      expect(events.onError).toHaveBeenCalledWith(error);
    });
    expect(screen.getByRole('alert').textContent).toContain('The card was declined');
    const bought = { assetName: 'Ethereum', assetSymbol: 'ETH', chainId: 'base' };
    says({ eventName: 'success', data: bought });
    await waitFor(() => {
      expect(events.onSuccess).toHaveBeenCalledWith(bought);
    });
    expect(names(events)).toEqual(['init', 'transactionPending', 'error', 'transactionSuccess']);
    expect([events.onError.mock.calls.length, events.onSuccess.mock.calls.length]).toEqual([1, 1]);
    expect(screen.getByRole('status').textContent).toContain('on its way to your address');
    says({ eventName: 'exit' });
    await waitFor(() => {
      expect(names(events).at(-1)).toBe('exit');
    });
  });

  it('is not changed by a message from anywhere else (R4-24)', async () => {
    const events = show();
    await priced();
    says({ eventName: 'success', data: {} }, 'https://pay.coinbase.com.example.com');
    says({ eventName: 'transition_view', pageRoute: '/x' });
    await waitFor(() => {
      expect(names(events)).toEqual(['init', 'transactionPending']);
    });
    expect(events.onSuccess).not.toHaveBeenCalled();
  });
});

describe("the purchase card's troubles", () => {
  const code = (events: ReturnType<typeof show>) =>
    events.onError.mock.calls.map(([error]) => (error as { code?: string }).code);
  const broken = [
    { status: 401, body: { message: 'invalid key' } },
    { status: 500, body: 'oops' },
    { status: 200, body: {} },
    'reset',
    { status: 200, body: { ...QUOTE, payment_subtotal: { value: '0', currency: 'USD' } } },
  ] as const;

  it.each(broken)(
    'say that the price could not be read, and let the amount be typed in money (R8-38, R4-24)',
    async (quote) => {
      provider.answer(onramp({ quote }));
      const events = show();
      const alert = await screen.findByRole('alert');
      expect(alert.textContent).toContain('The price of ETH could not be loaded.');
      expect(alert.textContent).toContain('EXCHANGE_RATE_ERROR');
      expect(code(events)).toEqual(['EXCHANGE_RATE_ERROR']);
      await screen.findByText('Debit card');
      type('25');
      expect(submit().disabled).toBe(false);
      expect(
        screen.getByRole<HTMLButtonElement>('button', { name: 'Enter amount in ETH' }).disabled,
      ).toBe(true);
      provider.answer(onramp());
      fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
      await screen.findByText('≈ 0.01 ETH');
      expect(screen.queryByRole('alert')).toBeNull();
    },
  );

  it('say that no way to pay is offered there (R8-38)', async () => {
    const events = show({ market: { country: 'GB', subdivision: null, currency: 'GBP' } });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain(
      'No payment method is available for GBP in United Kingdom.',
    );
    expect(alert.textContent).toContain('NO_PAYMENT_METHODS');
    await waitFor(() => {
      expect(code(events)).toEqual(['NO_PAYMENT_METHODS']);
    });
    type('25');
    expect(submit().disabled).toBe(true);
  });

  it.each([
    { status: 403, body: { message: 'no' } },
    { status: 200, body: { ...OPTIONS, payment_currencies: 'x' } },
    { status: 502, body: '<html>' },
    'reset',
  ] as const)('say that the ways to pay could not be read (R8-38)', async (options) => {
    provider.answer(onramp({ options }));
    const events = show();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Payment methods could not be loaded');
    expect(alert.textContent).toContain('PAYMENT_METHODS_ERROR');
    await waitFor(() => {
      expect(code(events)).toEqual(['PAYMENT_METHODS_ERROR']);
    });
    provider.answer(onramp());
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('Debit card');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('are said together where both calls fail', async () => {
    provider.answer(
      onramp({ quote: { status: 500, body: {} }, options: { status: 500, body: {} } }),
    );
    const events = show();
    await waitFor(() => {
      expect(code(events).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
        'EXCHANGE_RATE_ERROR',
        'PAYMENT_METHODS_ERROR',
      ]);
    });
    expect((await screen.findByRole('alert')).querySelectorAll('p')).toHaveLength(2);
  });
});
