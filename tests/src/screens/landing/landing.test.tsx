// @vitest-environment happy-dom
/**
 * The public pages as they are drawn: the landing's example, its prices, the questions and the
 * library's articles.
 */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seriousFaults } from '../../../support/serious-faults.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn(() => new Promise<never>(() => undefined)) }));
/** Where the page was moved to, in order. */
const moves: string[] = [];
Object.assign(globalThis, {
  scrollTo: () => {
    moves.push('top');
  },
});
Element.prototype.scrollIntoView = function (this: Element) {
  moves.push(this.id);
};
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { Routes } = await import('../../../../src/App.tsx');
const { preload } = await import('../../../../src/shell/routes.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { applyHistory, clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { afterNetwork, pressed } = await import('../../../../src/screens/landing/demo-steps.ts');
const { planRows } = await import('../../../../src/screens/landing/PlanPrices.tsx');
const { builtInPlans } = await import('../../../../server/billing/plans.ts');

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
}

function signIn(): void {
  writeLastUser({ uid: 'uid-1', email: null, lastSignInTime: null });
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: Date.now() + 3_600_000,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  applySubscription(
    {
      status: { subscription: null, entitledTier: 'free', servedAt: Date.now() },
      trial: { isActive: false, endDate: null, hasUsed: false, servedAt: Date.now() },
    },
    'network',
  );
}

beforeEach(() => {
  localStorage.clear();
  connection.online = 'online';
  Object.assign(session, {
    status: 'signed-out',
    user: null,
    provisional: false,
    expiresAt: null,
    endingSoon: false,
  });
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearHistory();
  clearSubscription();
});

describe('the landing page', () => {
  it('has a transparent header with Log In and Get Started, and the footer with its links and year (R2-01, R2-26)', async () => {
    await open('/');
    const header = screen.getByRole('banner');
    expect(header.className).toContain('bg-transparent');
    expect(within(header).getByRole('link', { name: 'Log In' }).getAttribute('href')).toBe(
      '/login',
    );
    expect(within(header).getByRole('link', { name: 'Get Started' }).getAttribute('href')).toBe(
      '/register',
    );
    const footer = screen.getByRole('contentinfo');
    expect(footer.textContent).toContain('© 2025');
    expect(
      within(footer)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(['Terms of Service', 'Privacy Policy', 'Risk Disclosure', 'FAQ']);
    expect(await seriousFaults()).toEqual([]);
  }, 60_000);

  it('asks the server for nothing and shows nothing from elsewhere', async () => {
    await open('/');
    expect(call).not.toHaveBeenCalled();
    expect(
      [...document.querySelectorAll('[src], link[href]')]
        .map((one) => one.getAttribute('src') ?? one.getAttribute('href') ?? '')
        .filter((at) => /^(https?:)?\/\//.test(at)),
    ).toEqual([]);
  }, 60_000);

  it('shows the way of a Stop in a tunnel: saved, then sent, and stopped only by the answer', async () => {
    await open('/');
    vi.useFakeTimers();
    try {
      fireEvent.click(screen.getByRole('switch', { name: 'In a tunnel' }));
      expect(
        screen.getByText(
          /^Offline\. Showing \d\d:\d\d\. Stops are sent first when you’re back online\.$/,
        ),
      ).toBeTruthy();
      fireEvent.click(screen.getByRole('button', { name: 'Stop Harbour' }));
      expect(
        screen.getByText(
          'Stop saved on this device. Not yet received by the server. The agent keeps trading until then.',
        ),
      ).toBeTruthy();
      // As in the app: one tap, Stop keeps its place, and Undo stands elsewhere.
      expect(
        screen.getByRole('button', { name: 'Stop Harbour' }).getAttribute('aria-disabled'),
      ).toBe('true');
      expect(screen.getByText('Harbour: stop saved, not sent yet.')).toBeTruthy();
      expect(screen.getByText('Running when last seen')).toBeTruthy();
      await act(() => vi.advanceTimersByTimeAsync(60_000));
      expect(screen.getByText('Running when last seen')).toBeTruthy();
      fireEvent.click(screen.getByRole('switch', { name: 'In a tunnel' }));
      expect(screen.getByText('Stop is being sent.')).toBeTruthy();
      await act(() => vi.advanceTimersByTimeAsync(1_000));
      expect(screen.getByText('Stopped, protecting 1 position')).toBeTruthy();
      expect(screen.getByText('Harbour stopped. Undo starts it again.')).toBeTruthy();
      fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
      expect(screen.getByText('Running')).toBeTruthy();
    } finally {
      vi.useRealTimers();
    }
  }, 60_000);

  it('never calls the example stopped while the network is away', () => {
    expect(pressed('running', false)).toBe('saved');
    expect(pressed('stopped', false)).toBe('stopped');
    expect(afterNetwork('sending', false)).toBe('saved');
    expect(afterNetwork('saved', false)).toBe('saved');
    expect(afterNetwork('saved', true)).toBe('sending');
  });

  it('quotes the plans that the server sells by itself, and no price where another sets it', () => {
    expect(planRows(true).map(({ tier, name, price }) => [tier, name, price])).toEqual(
      builtInPlans().map(({ tier, name, amount }) => [tier, name, amount]),
    );
    expect(
      planRows(false)
        .slice(1)
        .every(({ price }) => price === null),
    ).toBe(true);
    for (const { tier, adds } of planRows(true)) expect(adds, tier).not.toBe('');
  });
});

describe('public texts', () => {
  it.each([
    ['/terms', 'Terms of Service'],
    ['/privacy', 'Privacy Policy'],
    ['/risk-disclosure', 'Risk Disclosure'],
    ['/learn-more', 'Learn more'],
    ['/faq', 'FAQ'],
    ['/how-it-works', 'How it works'],
  ])(
    '%s opens without an account, with no serious fault of access (R2-02)',
    async (path, heading) => {
      await open(path);
      expect(
        screen.getAllByRole('heading', { level: 1 }).map((found) => found.textContent),
      ).toEqual([heading]);
      expect(await seriousFaults()).toEqual([]);
      // Every heading of the contents is there to be gone to.
      for (const link of document.querySelectorAll('nav[aria-label="On this page"] a'))
        expect(
          document.getElementById((link.getAttribute('href') ?? '').slice(1)),
          link.textContent,
        ).not.toBeNull();
    },
    60_000,
  );

  it('gives the picture of how it works in words too', async () => {
    await open('/how-it-works');
    const picture = screen.getByRole('img', { name: /From price to ledger entry/ });
    expect(document.getElementById('how-words')?.textContent).toContain(
      'nothing is traded, and the decision says why',
    );
    expect(picture.closest('figure')?.querySelector('figcaption')?.textContent).toContain(
      'nothing is traded, and the decision says why',
    );
  }, 60_000);

  it('searches the questions, marks the words, and opens the one an address names', async () => {
    await open('/faq#stop-offline');
    expect(document.getElementById('stop-offline')?.hasAttribute('open')).toBe(true);
    expect(document.getElementById('real-money')?.hasAttribute('open')).toBe(false);
    fireEvent.change(screen.getByLabelText('Search questions'), { target: { value: 'trial' } });
    expect(screen.getByText(/^\d+ questions found$/)).toBeTruthy();
    expect(document.querySelector('details mark')?.textContent?.toLowerCase()).toBe('trial');
    fireEvent.change(screen.getByLabelText('Search questions'), { target: { value: 'zebra' } });
    expect(screen.getByText('No results')).toBeTruthy();
  }, 60_000);
});

describe('the library', () => {
  beforeEach(signIn);

  it('lists by topic, searches by rank with marks, opens an article by its address and goes on to others (R2-17)', async () => {
    await open('/library');
    expect(screen.getByRole('region', { name: 'Strategies' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Risk' }));
    expect(screen.queryByRole('region', { name: 'Strategies' })).toBeNull();
    fireEvent.change(screen.getByLabelText('Search'), { target: { value: 'drawdown' } });
    const [first] = within(screen.getByRole('region', { name: /articles$/ })).getAllByRole('link');
    expect(first?.textContent).toContain('Drawdown, and the way back up');
    expect(first?.querySelector('mark')?.textContent).toBe('Drawdown');
    if (first === undefined) return;
    fireEvent.click(first);
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Drawdown, and the way back up' }),
    ).toBeTruthy();
    expect(location.search).toBe('?article=drawdown');
    await waitFor(() => {
      expect(document.title).toBe('Drawdown, and the way back up · Tradewind');
    });
    expect(await seriousFaults()).toEqual([]);
    fireEvent.click(
      within(screen.getByRole('region', { name: 'Read next' })).getAllByRole('link')[0] ??
        document.body,
    );
    expect(await screen.findByRole('heading', { level: 1, name: /Guards/ })).toBeTruthy();
  }, 60_000);

  it('says that an address names no article, and still lists all', async () => {
    await open('/library?article=no-such');
    expect(screen.getByText(/Article not found/)).toBeTruthy();
    expect(screen.getByRole('region', { name: 'Money' })).toBeTruthy();
  }, 60_000);

  it('goes to the heading that an address names, after the screen has begun at its top', async () => {
    // As at a start: the code is there before anything is drawn.
    await preload('/library');
    moves.length = 0;
    await open('/library?article=stops#after-a-stop');
    await waitFor(() => {
      expect(moves.at(-1)).toBe('after-a-stop');
    });
    expect(moves).toContain('top');
  }, 60_000);

  it('reads without a network', async () => {
    connection.online = 'offline';
    await open('/library?article=stops');
    expect(screen.getByText(/A stop loss sells at the next price/)).toBeTruthy();
  }, 60_000);
});

describe('a new person’s dashboard', () => {
  beforeEach(() => {
    signIn();
    applyAgents({ agents: [], sequence: 1, asOf: Date.now() }, 'network');
    applyHistory({ fills: [], sequence: 1, asOf: Date.now() }, 'network');
  });

  it('is one button to the first agent over a quiet panel of first steps, which can be put away and is found again under its own path (R2-06, R2-09)', async () => {
    await open('/dashboard');
    expect(
      await screen.findByRole('region', { name: 'Getting started' }, { timeout: 10_000 }),
    ).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Set up my first agent' }).getAttribute('href')).toBe(
      '/guided-setup',
    );
    expect(screen.getByText('First steps').closest('details')?.open).toBe(false);
    expect(
      screen.getByRole('progressbar', { name: 'First steps' }).getAttribute('aria-valuenow'),
    ).toBe('1');
    expect(await seriousFaults()).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Hide getting started' }));
    expect(screen.queryByRole('region', { name: 'Getting started' })).toBeNull();
    expect(screen.getByRole('region', { name: 'Agents' })).toBeTruthy();
    cleanup();
    await open('/dashboard');
    expect(screen.queryByRole('region', { name: 'Getting started' })).toBeNull();
    cleanup();
    await open('/getting-started');
    expect(screen.getByText('1 of 9 done')).toBeTruthy();
  }, 60_000);

  it('ticks the risks once they were read here', async () => {
    await open('/risk-disclosure');
    cleanup();
    await open('/getting-started');
    expect(screen.getByText('Understand the risks').textContent).toBe('Understand the risks: done');
  }, 60_000);
});
