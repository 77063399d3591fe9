// @vitest-environment happy-dom
/** The form of a price alert as a person fills it in: what it proposes, keeps and sends. */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alert, AlertTerms } from '../../../../contract/alerts.ts';
import type { OutboxEntry } from '../../../../src/offline/outbox-entry.ts';
import type { SymbolQuote } from '../../../../contract/market.ts';
import { browserLocale, LOCALES, ownLocale } from '../../../support/locale.ts';

const { setAlert } = vi.hoisted(() => ({ setAlert: vi.fn() }));
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  setAlert,
}));

const { default: AlertForm } = await import('../../../../src/screens/alerts/AlertForm.tsx');
const { AlertRows } = await import('../../../../src/screens/alerts/AlertRows.tsx');
const { useAlertForm } = await import('../../../../src/screens/alerts/use-alert-form.tsx');
const { alertViews } = await import('../../../../src/stores/alert-view.ts');
const { applyMarket, applyTicks, clearMarket } =
  await import('../../../../src/stores/market-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { queue } = await import('../../../../src/commands.ts');
const { entryOf, setAlert: setAlertRequest } = await import('../../offline/samples.ts');
const { formatWhen } = await import('../../../../src/format/times.ts');

const NOW = Date.now();
const SOURCE = { id: 'sim', kind: 'simulated', label: 'Simulated prices', quote: 'USDT' } as const;
const quote = (symbol: string, price: string): SymbolQuote => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: '1',
  high_24h: price,
  low_24h: price,
  price_change_24h: null,
  timestamp: NOW,
  stale: false,
});
const prices = (btc = '64210.5'): void => {
  applyMarket(
    {
      symbols: [quote('BTC/USDT', btc), quote('SOL/USDT', '35.417')],
      source: SOURCE,
      now: NOW,
    },
    'network',
  );
};
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string): void => {
  fireEvent.change(field(name), { target: { value } });
};
const choose = (symbol: string): void => {
  type('Pair', symbol);
};
const press = (name: string | RegExp): void => {
  fireEvent.click(screen.getByRole('button', { name }));
};
const done = vi.fn();
const open = (terms: AlertTerms | null = null): void => {
  render(
    <AlertForm
      editing={{ id: 'a1', terms, symbol: terms?.symbol ?? '', seenVersion: null }}
      symbols={['BTC/USDT', 'SOL/USDT']}
      onDone={done}
    />,
  );
};
/** The terms that were sent, once they were. */
async function sent(): Promise<AlertTerms | undefined> {
  await waitFor(() => {
    expect(done).toHaveBeenCalled();
  });
  return (setAlert.mock.calls[0] as [string, AlertTerms] | undefined)?.[1];
}

beforeEach(() => {
  done.mockReset();
  setAlert.mockReset().mockResolvedValue({ said: 'sent', message: '' });
  prices();
});
afterEach(() => {
  cleanup();
  clearMarket();
  ownLocale();
});

describe('choosing a pair for a new alert', () => {
  it.each(LOCALES)(
    'proposes a price above its own as %s writes it, and sends it (A-01)',
    async (locale) => {
      browserLocale(locale);
      open();
      choose('SOL/USDT');
      press('Set alert');
      expect(await sent()).toMatchObject({ condition: { kind: 'above', price: '35.772' } });
    },
  );

  it('asks for the pair before it says anything of a price (A-01)', () => {
    open();
    expect(screen.getByText('Choose a pair to see its current price.')).toBeTruthy();
    choose('BTC/USDT');
    expect(screen.getByText(/^The price is /)).toBeTruthy();
  });

  it('proposes one for each pair in turn while nobody has typed one (A-01)', () => {
    open();
    choose('BTC/USDT');
    expect(field('Price').value).toBe('64852.61');
    prices('64999');
    choose('SOL/USDT');
    expect(field('Price').value).toBe('35.772');
    press(/^\+5/);
    choose('BTC/USDT');
    expect(field('Price').value).toBe('65648.99');
  });

  it('proposes a price that is not reached yet, on either side (A-01, A-03)', () => {
    open();
    choose('BTC/USDT');
    expect(screen.getByText(/^The price is .*, 1\.\d+\s?% away\.$/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Falls to' }));
    expect(field('Price').value).toBe('63568.39');
    expect(screen.getByText(/^The price is .*, 1\.\d+\s?% away\.$/)).toBeTruthy();
    press(/^−5/);
    const step = field('Price').value;
    fireEvent.click(screen.getByRole('button', { name: 'Falls to' }));
    fireEvent.click(screen.getByRole('button', { name: 'Moves by' }));
    fireEvent.click(screen.getByRole('button', { name: 'Falls to' }));
    expect(field('Price').value).toBe(step);
    type('Price', '60000');
    fireEvent.click(screen.getByRole('button', { name: 'Rises to' }));
    expect(field('Price').value).toBe('60000');
    expect(screen.getByText(/already at or above this price/)).toBeTruthy();
  });

  it('counts a step from the price at the press (A-01)', () => {
    open();
    choose('BTC/USDT');
    press(/^\+5/);
    act(() => {
      applyTicks([{ ...quote('BTC/USDT', '70000'), timestamp: NOW + 1_000 }], NOW + 1_000);
    });
    press(/^\+1\D/);
    expect(field('Price').value).toBe('70700');
    expect(screen.queryByText(/already at or above/)).toBeNull();
    press('Falls to');
    press(/^−1\D/);
    expect(field('Price').value).toBe('69300');
  });

  it('names which way is chosen, each a button of its own (A-01)', () => {
    open();
    const ways = within(screen.getByRole('group', { name: 'Alert me when the price' }));
    const chosen = () =>
      ways.getAllByRole('button').map((way) => [way.textContent, way.getAttribute('aria-pressed')]);
    expect(chosen()).toEqual([
      ['Rises to', 'true'],
      ['Falls to', 'false'],
      ['Moves by', 'false'],
    ]);
    press('Moves by');
    expect(chosen().map(([, pressed]) => pressed)).toEqual(['false', 'false', 'true']);
  });

  it('keeps a price that was typed, and proposes one again once the field is empty (A-08)', () => {
    open();
    type('Price', '70000');
    choose('BTC/USDT');
    expect(field('Price').value).toBe('70000');
    type('Price', '');
    choose('SOL/USDT');
    expect(field('Price').value).toBe('35.772');
  });
});

describe('while an exchange tells prices in the server’s place', () => {
  const direct = (): void => {
    applyMarket(
      {
        symbols: [quote('BTC/USDT', '67000')],
        source: { id: 'binance', kind: 'exchange', label: 'Binance', quote: 'USDT' },
        now: NOW,
      },
      'exchange',
    );
  };

  it('proposes no price of the exchange and promises no wait, for the server does not either (A-03, R7-13)', async () => {
    direct();
    open();
    choose('BTC/USDT');
    expect(field('Price').value).toBe('');
    type('Price', '65000');
    expect(screen.getByText(/^No current price\. .* you are notified at once\.$/)).toBeTruthy();
    expect(screen.queryByRole('group', { name: /relative to the current price/ })).toBeNull();
    press('Set alert');
    expect(await sent()).toMatchObject({ condition: { kind: 'above', price: '65000' } });
  });

  it('forgets the price of the server, and keeps the pair that was chosen by it', async () => {
    open();
    choose('SOL/USDT');
    expect(screen.getByText(/^The price is /)).toBeTruthy();
    act(direct);
    expect(await screen.findByText(/^No current price\. /)).toBeTruthy();
    expect(field('Pair').value).toBe('SOL/USDT');
  });
});

describe('without a network', () => {
  // Half an hour past the third: the page counts from the second that has begun.
  const at = NOW - 3.5 * 3_600_000;
  afterEach(() => {
    connection.online = 'unknown';
    queue.storage = 'unopened';
  });
  const seen = (timestamp: number): void => {
    clearMarket();
    applyMarket(
      { symbols: [{ ...quote('BTC/USDT', '64000'), timestamp }], source: SOURCE, now: timestamp },
      'snapshot',
    );
  };
  const said = (): string => screen.getByText(/^You're offline/).textContent ?? '';

  it('says that setting the alert saves it, and from which price on the server checks (A-06)', async () => {
    connection.online = 'offline';
    seen(at);
    open();
    choose('BTC/USDT');
    expect(screen.getByText(/^The price was .* 3 h ago, 1/)).toBeTruthy();
    expect(said()).toBe(
      "You're offline. When you set the alert, it is saved on this device. The server watches it " +
        `from when it receives it, and also checks the prices since ${formatWhen(at)}.`,
    );
    act(() => {
      seen(NOW - 8 * 86_400_000);
    });
    await waitFor(() => {
      expect(said()).toMatch(/also checks the prices of the last 7 days\.$/);
    });
    act(clearMarket);
    await waitFor(() => {
      expect(said()).toMatch(/watches it from when it receives it\.$/);
    });
  });

  it.each(['memory', 'newer'] as const)(
    'says that the alert cannot be saved where storage is %s',
    (storage) => {
      connection.online = 'offline';
      queue.storage = storage;
      open();
      expect(said()).toBe(
        "You're offline, and the alert cannot be saved on this device. You can set it when " +
          "you're back online.",
      );
    },
  );
});

const alert: Alert = {
  id: 'a1',
  symbol: 'SOL/USDT',
  condition: { kind: 'above', price: '40' },
  repeatMinutes: null,
  note: '',
  active: true,
  phase: 'watching',
  version: 3,
  restsUntil: null,
  lastFiredAt: null,
  createdAt: NOW,
};

function List({ views }: { views: ReturnType<typeof alertViews> }) {
  const { edit, form } = useAlertForm();
  return (
    <>
      <AlertRows views={views} named empty="" onEdit={edit} />
      {form}
    </>
  );
}

describe('an alert whose change the server does not have', () => {
  const changed = (state: OutboxEntry['state'], change: Partial<AlertTerms>): OutboxEntry => {
    const { condition, repeatMinutes, note, symbol } = alert;
    const terms = { symbol, condition, repeatMinutes, note, active: true, ...change };
    return {
      ...entryOf(setAlertRequest(1, '1')),
      state,
      alert: { id: alert.id, terms, seenVersion: 3, seen: null },
    };
  };
  const shown = (state: OutboxEntry['state'], change: Partial<AlertTerms>, server = alert) => {
    render(<List views={alertViews([server], [changed(state, change)])} />);
    return screen.getByRole('listitem').textContent;
  };

  it.each(['saved', 'failed'] as const)(
    'is not called watched at a price that nobody watches: %s (A-08, A-09)',
    (state) => {
      const text = shown(state, { condition: { kind: 'above', price: '70' } });
      expect(text).toContain('SOL/USDT above 70');
      expect(text).toContain('On the server: above 40.00. Watching when last seen.');
    },
  );

  it('is said with its pair where another one is shown', () => {
    expect(shown('saved', { symbol: 'BTC/USDT' })).toContain(
      'On the server: SOL/USDT above 40.00.',
    );
  });

  it('says once what both have', () => {
    expect(shown('saved', { note: 'Sell half' })).not.toContain('On the server');
  });

  it('is on, and can be turned off again, as soon as one that was reached is turned on (A-08)', () => {
    const reached = { ...alert, active: false, phase: 'fired' as const };
    shown('saved', { active: true }, reached);
    press(/^Turn off SOL/);
    expect(setAlert.mock.calls[0]?.[1]).toMatchObject({ active: false });
  });

  it('is off where turning it on was refused', () => {
    shown('failed', { active: true }, { ...alert, active: false, phase: 'fired' });
    expect(screen.getByRole('button', { name: /^Turn on SOL/ })).toBeTruthy();
  });

  it('is off while one that was reached is only shown', () => {
    render(<List views={alertViews([{ ...alert, active: true, phase: 'fired' }], [])} />);
    expect(screen.getByRole('button', { name: /^Turn on SOL/ })).toBeTruthy();
  });
});

describe('editing the note of an alert', () => {
  const edit = async (state: Pick<Alert, 'active' | 'phase'>): Promise<void> => {
    render(<List views={alertViews([{ ...alert, ...state }], [])} />);
    press(/^Edit SOL/);
    fireEvent.change(await screen.findByLabelText('Note (optional)'), {
      target: { value: 'Sell' },
    });
  };
  const save = async (): Promise<AlertTerms | undefined> => {
    press('Save alert');
    await waitFor(() => {
      expect(setAlert).toHaveBeenCalled();
    });
    return (setAlert.mock.calls[0] as [string, AlertTerms])[1];
  };

  it.each([
    ['leaves one that is off switched off', { active: false, phase: 'off' }, false],
    ['leaves one that watches on', { active: true, phase: 'watching' }, true],
    ['sets one that was reached again', { active: false, phase: 'fired' }, true],
  ] as const)('%s (A-04, A-08)', async (_what, state, active) => {
    await edit(state);
    expect(await save()).toMatchObject({ note: 'Sell', active });
  });

  it('promises no notification of one that is off (A-08)', async () => {
    await edit({ active: false, phase: 'off' });
    expect(screen.getByText('This alert is off and stays off when you save it.')).toBeTruthy();
    expect(screen.queryByText(/notified/)).toBeNull();
  });
});

describe('a tap beside the form, or Escape', () => {
  const SAID = 'Not saved yet. Cancel discards your entries.';
  /** Radix hears what is outside from the next task on. */
  const heard = async (): Promise<void> => {
    await act(async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    });
  };
  const beside = (): void => {
    const scrim = document.querySelector('[class*="scrim"]') ?? document.body;
    fireEvent.pointerDown(scrim);
    fireEvent.pointerUp(scrim);
    fireEvent.click(scrim);
  };
  const escape = (): void => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
  };

  it.each([
    ['a tap', beside],
    ['Escape', escape],
  ])('closes one in which nothing was typed: %s (A-08)', async (_name, leave) => {
    open();
    await heard();
    leave();
    expect(done).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a tap', beside],
    ['Escape', escape],
  ])(
    'drops nothing that was typed, and says how it is dropped: %s (A-08)',
    async (_name, leave) => {
      open();
      await heard();
      type('Note (optional)', 'Take some off');
      expect(screen.queryByText(SAID)).toBeNull();
      leave();
      expect(done).not.toHaveBeenCalled();
      expect(field('Note (optional)').value).toBe('Take some off');
      expect(screen.getByText(SAID)).toBeTruthy();
      press('Cancel');
      expect(done).toHaveBeenCalledTimes(1);
    },
  );
});

describe('a step back in the browser', () => {
  const SAID = 'Not saved yet. Cancel discards your entries.';
  const path = (): string => location.pathname;
  const back = (): void => {
    act(() => {
      history.back();
    });
  };
  /** Which way the browser went is known later. */
  const isAt = (there: string, isHeld: boolean): Promise<void> =>
    waitFor(() => {
      const state = history.state as { held?: string } | null;
      expect([path(), state?.held !== undefined]).toEqual([there, isHeld]);
    });
  beforeEach(() => {
    history.replaceState(null, '', '/market/BTC-USDT');
    history.pushState(null, '', '/alerts');
  });

  it('leaves a form in which nothing was typed (A-08)', async () => {
    open();
    back();
    await isAt('/market/BTC-USDT', false);
  });

  it('drops nothing that was typed, however often, and says how it is dropped (A-08)', async () => {
    open();
    type('Note (optional)', 'Take some off');
    expect(screen.queryByText(SAID)).toBeNull();
    for (let presses = 0; presses < 2; presses += 1) {
      back();
      await screen.findByText(SAID);
      await isAt('/alerts', true);
    }
    expect(done).not.toHaveBeenCalled();
    expect(field('Note (optional)').value).toBe('Take some off');
  });

  it('leads to the screen before once the form is closed, and forward opens nothing (A-08)', async () => {
    open();
    type('Note (optional)', 'Take some off');
    back();
    await isAt('/alerts', true);
    cleanup();
    await isAt('/alerts', false);
    back();
    await isAt('/market/BTC-USDT', false);
    act(() => {
      history.forward();
    });
    await isAt('/alerts', false);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('leads past the form that another screen was opened from (A-08)', async () => {
    open();
    type('Note (optional)', 'Take some off');
    fireEvent.click(screen.getByRole('link', { name: 'notifications' }));
    cleanup();
    await isAt('/settings', false);
    back();
    await isAt('/alerts', false);
    back();
    await isAt('/market/BTC-USDT', false);
  });
});
