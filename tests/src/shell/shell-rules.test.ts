// @vitest-environment happy-dom
/** The shell's rules as data: links, preloading, popovers, widths. */
import '../../support/page-world.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';

const { backOf, navLinks, FOOTER_LINKS } = await import('../../../src/shell/navigation.ts');
const { popoverPlace } = await import('../../../src/components/popover-place.ts');
const { IDLE_PRELOADS, preloadWhenIdle, ROUTES, routeOf } =
  await import('../../../src/shell/routes.ts');
const { ROUTES: GUARDED } = await import('../../../src/identity/security-context.ts');
const { readAppearance } = await import('../../../src/shell/appearance-marks.ts');
const { offlineText } = await import('../../../src/shell/offline-text.ts');

describe('the way back in an installed app', () => {
  it('leads from a part to its whole, from elsewhere to the dashboard, and not from the screens of the bottom bar', () => {
    expect(
      ['/agents/a1', '/market/ETH-USDT', '/security', '/stop-all', '/standard-dashboard'].map(
        backOf,
      ),
    ).toEqual(['/agents', '/market', '/dashboard', '/dashboard', '/dashboard']);
    expect(['/dashboard', '/agents', '/market/', '/portfolio'].map(backOf)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('navigation', () => {
  it('shows Dashboard, Trading, Analytics, Markets to everyone signed in (R2-21)', () => {
    expect(navLinks('free').slice(0, 4)).toEqual([
      { to: '/dashboard', label: 'Dashboard' },
      { to: '/trading', label: 'Trading' },
      { to: '/analytics', label: 'Analytics' },
      { to: '/market', label: 'Markets' },
    ]);
  });

  it('gives pro and pro-max the PRO dashboard, and others the way to it (R2-22)', () => {
    for (const tier of ['pro', 'pro-max'] as const)
      expect(navLinks(tier)[4]).toEqual({ to: '/pro-dashboard', label: 'PRO Dashboard' });
    for (const tier of ['free', 'starter', 'standard', 'trial'] as const)
      expect(navLinks(tier)[4]).toEqual({ to: '/subscription', label: 'PRO', upsell: true });
  });

  it('ends every page with the four legal links (R2-26)', () => {
    expect(FOOTER_LINKS.map((link) => link.label)).toEqual([
      'Terms of Service',
      'Privacy Policy',
      'Risk Disclosure',
      'FAQ',
    ]);
  });
});

describe('routes', () => {
  it('has a guarded screen for each protected path and no other (R2-06, R2-20)', () => {
    expect(
      ROUTES.filter((route) => route.access === 'protected')
        .map((route) => route.path)
        .sort(),
    ).toEqual(Object.keys(GUARDED).sort());
  });

  it('has the nine public pages (R2-01, R2-02)', () => {
    expect(ROUTES.filter((route) => route.access === 'public').map((route) => route.path)).toEqual([
      '/',
      '/login',
      '/register',
      '/terms',
      '/privacy',
      '/risk-disclosure',
      '/learn-more',
      '/faq',
      '/how-it-works',
    ]);
    expect(routeOf('/terms/?from=footer')?.path).toBe('/terms');
    expect(routeOf('/nowhere')).toBeUndefined();
  });

  it('preloads dashboard, market and analytics when idle, within 10 s (R2-27, R9-10)', () => {
    const loaded: string[] = [];
    const requestIdleCallback = vi.fn((run: () => void) => {
      run();
      return 1;
    });
    preloadWhenIdle(
      {
        addEventListener: vi.fn(),
        setTimeout: vi.fn() as never,
        requestIdleCallback: requestIdleCallback,
      },
      (path) => loaded.push(path),
    );
    expect(requestIdleCallback).toHaveBeenCalledWith(expect.any(Function), { timeout: 10_000 });
    expect(loaded).toEqual([...IDLE_PRELOADS]);
    expect(loaded).toEqual(expect.arrayContaining(['/dashboard', '/market', '/analytics']));
  });

  it('preloads 2 s after load where the browser cannot tell idleness (R2-27, R9-10)', () => {
    const loaded: string[] = [];
    const later = vi.fn((run: () => void, _ms: number) => {
      run();
      return 1;
    });
    Object.defineProperty(document, 'readyState', { value: 'complete', configurable: true });
    preloadWhenIdle({ addEventListener: vi.fn(), setTimeout: later as never }, (path) =>
      loaded.push(path),
    );
    expect(later).toHaveBeenCalledWith(expect.any(Function), 2_000);
    expect(loaded).toContain('/analytics');
  });
});

describe('popover and widths', () => {
  it('opens above with less than 400 px below and right-aligned with less than 352 px beside (R9-13)', () => {
    const view = { width: 1_000, height: 900 };
    expect(popoverPlace({ bottom: 500, left: 648 }, view)).toEqual({
      side: 'below',
      align: 'left',
    });
    expect(popoverPlace({ bottom: 501, left: 648 }, view)).toEqual({
      side: 'above',
      align: 'left',
    });
    expect(popoverPlace({ bottom: 500, left: 649 }, view)).toEqual({
      side: 'below',
      align: 'right',
    });
  });

  it('changes layout at 640, 768, 1023 and 1279 px, (R9-13)', () => {
    const style = readFileSync('src/styles/app.css', 'utf8');
    for (const [name, px] of Object.entries({ sm: 640, md: 768, lg: 1023, xl: 1279 }))
      expect(style).toContain(`--breakpoint-${name}: ${px}px`);
  });
});

describe('what a device keeps of the look', () => {
  it('takes a choice it knows and leaves the system its say otherwise', () => {
    expect(readAppearance('{"theme":"dark","gain":"blue"}')).toEqual({
      theme: 'dark',
      gain: 'blue',
      rows: 'device',
    });
    expect(readAppearance('{"rows":"roomy"}')).toEqual({
      theme: 'system',
      gain: 'green',
      rows: 'roomy',
    });
    expect(readAppearance('{"theme":"neon"}')).toEqual({
      theme: 'system',
      gain: 'green',
      rows: 'device',
    });
    expect(readAppearance('not json')).toEqual({ theme: 'system', gain: 'green', rows: 'device' });
    expect(readAppearance('null')).toEqual({ theme: 'system', gain: 'green', rows: 'device' });
  });

  it('says what an offline screen shows and what will be sent first', () => {
    const at = new Date(2026, 10, 21, 14, 32).getTime();
    expect(offlineText(at, false, at + 60_000)).toBe(
      'Offline. Showing 14:32. Stops are sent first when you’re back online.',
    );
    expect(offlineText(at, true, at)).toContain('Read-only. Stop still works.');
    expect(offlineText(null, false, at)).toContain('No data saved on this device.');
    expect(offlineText(at, false, at, 'Kraken')).toBe(
      'Offline. Kraken prices, display only. Stops are sent first when you’re back online.',
    );
  });
});
