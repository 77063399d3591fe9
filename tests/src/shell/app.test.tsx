// @vitest-environment happy-dom
/** The page as a whole: redirects, guard screens, header, banner, crash and route errors. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { lazy, type ReactNode } from 'react';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tier } from '../../../contract/permission.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: {
    call,
    marketData: () => new Promise(() => undefined),
    marketOverview: () => new Promise(() => undefined),
    marketPools: () => new Promise(() => undefined),
  },
}));

const { Routes } = await import('../../../src/App.tsx');
const { Boundary, CrashScreen, RouteError } = await import('../../../src/shell/CrashScreen.tsx');
const { ROUTES } = await import('../../../src/shell/routes.ts');
const { Shell } = await import('../../../src/shell/Shell.tsx');
const { RouteGuard } = await import('../../../src/shell/RouteGuard.tsx');
const { Refused } = await import('../../../src/shell/Refused.tsx');
const { session } = await import('../../../src/identity/session.ts');
const { connection } = await import('../../../src/stores/connection.ts');
const { toastStore } = await import('../../../src/stores/toast-store.ts');
const { applySubscription, clearSubscription, subscriptionStore } =
  await import('../../../src/stores/subscription-store.ts');

const DAY = 86_400_000;

function go(path: string): void {
  history.replaceState(null, '', path);
}

function signIn(tier: Tier = 'free'): void {
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: Date.now() + DAY,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  const paid = tier !== 'free' && tier !== 'trial';
  applySubscription(
    {
      status: {
        subscription: paid
          ? {
              status: 'active',
              tier,
              planId: tier,
              currentPeriodEnd: null,
              cancelAtPeriodEnd: false,
            }
          : null,
        entitledTier: tier,
        servedAt: Date.now(),
      },
      trial: { isActive: false, endDate: null, hasUsed: false, servedAt: Date.now() },
    },
    'network',
  );
}

function onTrial(endsInMs: number): void {
  signIn();
  clearSubscription();
  applySubscription(
    {
      status: { subscription: null, entitledTier: 'trial', servedAt: Date.now() },
      trial: {
        isActive: true,
        endDate: new Date(Date.now() + endsInMs).toISOString(),
        hasUsed: true,
        servedAt: Date.now(),
      },
    },
    'network',
  );
}

beforeEach(() => {
  call.mockReset();
  call.mockReturnValue(new Promise(() => undefined));
  Object.assign(session, {
    status: 'signed-out',
    user: null,
    provisional: false,
    expiresAt: null,
    endingSoon: false,
  });
  clearSubscription();
  subscriptionStore.loading = false;
  connection.online = 'online';
  sessionStorage.clear();
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('public pages', () => {
  it('opens on the landing page with Log In and Get Started in a transparent header (R2-01)', async () => {
    go('/');
    render(<Routes />);
    expect(await screen.findByRole('heading', { level: 1, name: /Trading agents/ })).toBeTruthy();
    const header = screen.getByRole('banner');
    expect(header.className).toContain('bg-transparent');
    expect(within(header).getByRole('link', { name: 'Log In' }).getAttribute('href')).toBe(
      '/login',
    );
    expect(within(header).getByRole('link', { name: 'Get Started' }).getAttribute('href')).toBe(
      '/register',
    );
    expect(within(header).getByRole('link', { name: 'Tradewind' }).getAttribute('href')).toBe('/');
  });

  it('shows login, register and the pages of words to anyone (R2-02)', async () => {
    const pages = [
      ['/login', 'Log in'],
      ['/register', 'Create an account'],
      ['/terms', 'Terms of Service'],
      ['/privacy', 'Privacy Policy'],
      ['/risk-disclosure', 'Risk Disclosure'],
      ['/learn-more', ''],
      ['/faq', 'FAQ'],
      ['/how-it-works', 'How it works'],
    ] as const;
    for (const [path, title] of pages) {
      go(path);
      render(<Routes />);
      expect(
        (
          await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 })
        ).textContent?.toLowerCase(),
      ).toContain(title.toLowerCase());
      expect(location.pathname).toBe(path);
      cleanup();
    }
  }, 30_000);

  it('takes a referral link to the registration and keeps its code (R2-03)', async () => {
    go('/ref/FRDN-2345');
    render(<Routes />);
    await waitFor(() => {
      expect(location.pathname).toBe('/register');
    });
    expect(await screen.findByText(/FRDN2345/)).toBeTruthy();
  });

  it('takes /markets to /market (R2-04)', async () => {
    go('/markets');
    render(<Routes />);
    await waitFor(() => {
      expect(location.pathname).toBe('/market');
    });
  });

  it('takes an unknown path to the landing page (R2-05)', async () => {
    go('/no/such/page');
    render(<Routes />);
    await waitFor(() => {
      expect(location.pathname).toBe('/');
    });
    expect(toastStore.toasts.map(({ message }) => message)).toContain(
      'That page does not exist. This is the start page.',
    );
  });

  it('says so to a person who is signed in as well, and once (R2-05)', async () => {
    signIn();
    go('/no/such/page');
    render(<Routes />);
    await waitFor(() => {
      expect(location.pathname).toBe('/');
    });
    expect(
      toastStore.toasts.filter(({ message }) => message.startsWith('That page does not exist.')),
    ).toHaveLength(1);
  });

  it('has the copyright year 2025 in its footer (R2-26)', async () => {
    go('/terms');
    render(<Routes />);
    expect(within(screen.getByRole('contentinfo')).getByText(/© 2025/)).toBeTruthy();
    expect(
      within(screen.getByRole('contentinfo'))
        .getByRole('link', { name: 'Risk Disclosure' })
        .getAttribute('href'),
    ).toBe('/risk-disclosure');
    await screen.findByRole('heading', { level: 1 });
  });
});

describe('the guard', () => {
  it('spins while nothing is known, then shows the content (R4-13)', async () => {
    session.status = 'loading';
    go('/dashboard');
    const { rerender } = render(
      <RouteGuard path={location.pathname}>
        <p>inside</p>
      </RouteGuard>,
    );
    expect(screen.getByRole('status').textContent).toContain('Checking your access');
    signIn();
    rerender(
      <RouteGuard path={location.pathname}>
        <p>inside</p>
      </RouteGuard>,
    );
    expect(await screen.findByText('inside')).toBeTruthy();
  });

  it('asks who is there when nobody is (R4-13, R8-23)', async () => {
    go('/dashboard');
    render(
      <RouteGuard path={location.pathname}>
        <p>inside</p>
      </RouteGuard>,
    );
    expect(await screen.findByRole('heading', { name: 'Authentication Required' })).toBeTruthy();
    expect(
      screen.getByText(
        'Your session has expired or you are not logged in. Please authenticate to continue.',
      ),
    ).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to Login' }).getAttribute('href')).toMatch(
      /^\/login/,
    );
    expect(screen.queryByText('inside')).toBeNull();
  });

  it('keeps the whole address for after the sign-in, its query as it was written (R8-23)', async () => {
    go('/library?article=fees&q=a%26b#top');
    render(
      <RouteGuard path={location.pathname}>
        <p>inside</p>
      </RouteGuard>,
    );
    const link = await screen.findByRole('link', { name: 'Go to Login' });
    const next = new URL(link.getAttribute('href') ?? '', 'http://x').searchParams.get('next');
    expect(next).toBe('/library?article=fees&q=a%26b#top');
  });

  it('shows a feature that the tier lacks as unavailable, with the plans (R8-24)', () => {
    render(
      <Refused access={{ allowed: false, screen: 'feature', reason: '' }} path="/analytics" />,
    );
    expect(screen.getByRole('heading', { name: 'Feature Unavailable' })).toBeTruthy();
    expect(
      screen.getByText(
        'This feature requires additional permissions. Please upgrade your subscription.',
      ),
    ).toBeTruthy();
    expect(screen.getByRole('link', { name: 'View Plans' }).getAttribute('href')).toBe(
      '/subscription',
    );
  });

  it('asks a lower tier to upgrade for the PRO dashboard (R2-08, R8-25)', async () => {
    signIn('standard');
    go('/pro-dashboard');
    render(<Routes />);
    expect(await screen.findByRole('heading', { name: 'Upgrade Required' })).toBeTruthy();
    expect(screen.getByText(/requires a pro subscription/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'View Plans' }).getAttribute('href')).toBe(
      '/subscription',
    );
  });

  it('denies a path that is not in the table as an invalid route (R5-19, R8-26)', async () => {
    signIn();
    go('/not-a-route');
    render(
      <RouteGuard path={location.pathname}>
        <p>inside</p>
      </RouteGuard>,
    );
    expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
    expect(screen.getByText('Invalid route')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to Dashboard' }).getAttribute('href')).toBe(
      '/dashboard',
    );
    cleanup();
    render(<Refused access={{ allowed: false, screen: 'denied', reason: '' }} path="/x" />);
    expect(screen.getByText('You do not have permission to access this page.')).toBeTruthy();
  });
});

describe('the shell of a signed-in person', () => {
  it('has the bar, the logo to the dashboard and a menu with the same links (R2-21, R2-22, R2-23, R2-24)', async () => {
    signIn('pro');
    go('/stop-all');
    render(<Routes />);
    await screen.findByRole('heading', { name: 'Stop all agents' }, { timeout: 10_000 });
    const bar = screen.getByRole('navigation', { name: 'Main' });
    const names = within(bar)
      .getAllByRole('link')
      .map((link) => link.textContent);
    expect(names).toEqual(['Dashboard', 'Trading', 'Analytics', 'Markets', 'PRO Dashboard']);
    expect(
      within(screen.getByRole('banner'))
        .getByRole('link', { name: 'Tradewind' })
        .getAttribute('href'),
    ).toBe('/dashboard');
    const menu = () => screen.findByRole('navigation', { name: 'Menu' }, { timeout: 10_000 });
    fireEvent.click(screen.getByRole('button', { name: 'Open menu' }));
    expect(
      within(await menu())
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual(names);
    fireEvent.keyDown(document, { key: 'Escape' });
    await waitFor(() => {
      expect(screen.queryByRole('navigation', { name: 'Menu' })).toBeNull();
    });
  });

  it('opens one and the same menu from the header and from More, with Settings and Wallet by name (R2-24)', async () => {
    signIn('pro');
    go('/stop-all');
    render(<Routes />);
    await screen.findByRole('heading', { name: 'Stop all agents' }, { timeout: 10_000 });
    const contents = async (opener: string): Promise<(string | null)[]> => {
      fireEvent.click(screen.getByRole('button', { name: opener }));
      const dialog = await screen.findByRole('dialog', { name: 'Menu' }, { timeout: 10_000 });
      const links = within(dialog)
        .getAllByRole('link')
        .map((link) => `${link.textContent ?? ''} ${link.getAttribute('href') ?? ''}`);
      fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
      await waitFor(() => {
        expect(screen.queryByRole('dialog')).toBeNull();
      });
      return links;
    };
    const byHeader = await contents('Open menu');
    expect(byHeader).toEqual(
      expect.arrayContaining([
        'Settings /settings',
        'Wallet /wallet',
        'Trading /trading',
        'Agents /agents',
        'Stop all agents /stop-all',
      ]),
    );
    expect(await contents('More')).toEqual(byHeader);
    expect(new Set(byHeader).size).toBe(byHeader.length);
  });

  it('shows the trial banner under the header, but not on a dashboard (R2-25, R4-10, R4-12)', async () => {
    onTrial(10 * DAY - 1_000);
    go('/stop-all');
    const { unmount } = render(<Routes />);
    expect((await screen.findByText('Free Trial Active')).parentElement?.textContent).toContain(
      '10 days remaining',
    );
    expect(screen.queryByRole('link', { name: 'Upgrade to Continue' })).toBeNull();
    unmount();
    go('/dashboard');
    render(<Routes />);
    await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
    expect(screen.queryByText('Free Trial Active')).toBeNull();
  });

  it('leaves the banner as it is over a screen that is left, until the next one is drawn', async () => {
    onTrial(10 * DAY - 1_000);
    const banner = () => screen.queryByText('Free Trial Active');
    const frame = (path: string, shownPath: string) => (
      <Shell path={path} shownPath={shownPath}>
        <p>The screen</p>
      </Shell>
    );
    const isDimmed = () => document.querySelector('main')?.classList.contains('opacity-60');
    go('/agents');
    const { rerender } = render(frame('/agents', '/dashboard'));
    expect([banner(), isDimmed()]).toEqual([null, true]);
    rerender(frame('/agents', '/agents'));
    await screen.findByText('Free Trial Active');
    expect(isDimmed()).toBe(false);
    rerender(frame('/dashboard', '/agents'));
    expect([banner() === null, isDimmed()]).toEqual([false, true]);
  });

  it('warns in the banner from two days on, with the way to a plan (R4-11, R4-12, R9-03)', async () => {
    onTrial(DAY - 1_000);
    go('/stop-all');
    render(<Routes />);
    const banner = (await screen.findByText('Free Trial Active')).closest('[data-warning]');
    expect(banner?.getAttribute('data-warning')).toBe('true');
    expect(banner?.textContent).toContain('1 day remaining');
    expect(
      within(banner as HTMLElement)
        .getByRole('link', { name: 'Upgrade to Continue' })
        .getAttribute('href'),
    ).toBe('/subscription');
  });
});

describe('failures of rendering', () => {
  const Broken = (): never => {
    throw new Error('broken part');
  };

  it('shows the crash screen with details and a reload (R2-28, R8-29)', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const reload = vi.fn();
    render(
      <Boundary fallback={(error) => <CrashScreen error={error} onReload={reload} />}>
        <Broken />
      </Boundary>,
    );
    expect(screen.getByRole('heading', { name: 'Something went wrong' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Error details' }));
    expect(screen.getByText(/React Error: broken part/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Reload Page' }));
    expect(reload).toHaveBeenCalledOnce();
    expect(
      vi
        .mocked(console.error)
        .mock.calls.flat()
        .some((text) => text === 'React Error: broken part'),
    ).toBe(true);
  });

  it('shows a failed route with its status or message (R8-30)', () => {
    render(
      <RouteError
        error={Object.assign(new Error('gone'), { status: 404, statusText: 'Not Found' })}
      />,
    );
    expect(screen.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeTruthy();
    expect(screen.getByText('404 Not Found')).toBeTruthy();
    cleanup();
    render(<RouteError error={new Error('broken part')} />);
    expect(screen.getByText('broken part')).toBeTruthy();
  });

  it('says Loading... while the code of a page is on its way, then shows the page (R2-27)', async () => {
    signIn();
    go('/library');
    const library = ROUTES.find((route) => route.path === '/library');
    if (library === undefined) throw new Error('no library');
    let arrive: (module: { default: () => ReactNode }) => void = () => undefined;
    const { Screen } = library;
    Object.assign(library, {
      Screen: lazy(
        () =>
          new Promise<{ default: () => ReactNode }>((resolve) => {
            arrive = resolve;
          }),
      ),
    });
    render(<Routes />);
    expect((await screen.findByText('Loading...')).closest('[role=status]')).not.toBeNull();
    await act(async () => {
      arrive({ default: () => <h1>Arrived</h1> });
      await Promise.resolve();
    });
    expect(await screen.findByRole('heading', { name: 'Arrived' })).toBeTruthy();
    expect(screen.queryByText('Loading...')).toBeNull();
    Object.assign(library, { Screen });
  });
});

describe('the account menu', () => {
  it('opens above and left-aligned at the foot of the rail, and right-aligned near the right edge (R9-13)', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: true,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    signIn('pro');
    go('/stop-all');
    render(<Routes />);
    const button = await screen.findByRole('button', { name: /^Account/ });
    Object.assign(globalThis, { innerWidth: 1_440, innerHeight: 900 });
    const at = (top: number, left: number): void => {
      button.getBoundingClientRect = () => ({
        top,
        bottom: top + 36,
        left,
        right: left + 180,
        x: left,
        y: top,
        width: 180,
        height: 36,
        toJSON: () => '',
      });
    };
    const opened = (): HTMLElement => screen.getByRole('group', { name: /^Account/ });
    at(840, 12);
    fireEvent.click(button);
    expect([
      opened().dataset.side,
      opened().dataset.align,
      opened().style.bottom,
      opened().style.left,
    ]).toEqual(['above', 'left', '66px', '12px']);
    expect(document.activeElement?.textContent).toBe('Settings');
    fireEvent.keyDown(document, { key: 'Escape' });
    expect(screen.queryByRole('group', { name: /^Account/ })).toBeNull();
    expect(document.activeElement).toBe(button);
    at(20, 1_200);
    fireEvent.click(button);
    expect([
      opened().dataset.side,
      opened().dataset.align,
      opened().style.top,
      opened().style.right,
    ]).toEqual(['below', 'right', '62px', '60px']);
    fireEvent.pointerDown(document.body);
    expect(screen.queryByRole('group', { name: /^Account/ })).toBeNull();
  });
});
