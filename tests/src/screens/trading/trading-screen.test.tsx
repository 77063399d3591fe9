// @vitest-environment happy-dom
/** Whose money the trading settings and the wallet speak of, with and without exchange accounts. */
import '../../../support/page-world.ts';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise(() => undefined) },
}));

const { default: TradingScreen, WalletScreen } =
  await import('../../../../src/screens/trading/TradingScreen.tsx');
const { recordedReplies, recordState } = await import('../../../../src/api/recorded-replies.ts');
const { accountChoice, clearAccountChoice } =
  await import('../../../../src/stores/account-choice.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { applySettings, clearSettings, settingsStore } =
  await import('../../../../src/stores/settings-store.ts');
const { clearSubscription, subscriptionStore } =
  await import('../../../../src/stores/subscription-store.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { applyWallet, clearWallet } = await import('../../../../src/stores/wallet-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);

beforeEach(() => {
  applySettings(replies.tradingSettings!, 'network');
  applyPortfolio(replies.portfolio!, 'network');
  applyWallet(
    {
      mode: 'paper',
      venue: 'Paper account',
      quote: 'USDT',
      linkedAddresses: [],
      links: [],
      onramp: 'direct',
      servedAt: NOW,
      balances: [{ asset: 'USDT', available: '9007.44', reserved: '0' }],
    },
    'network',
  );
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
  clearPortfolio();
  clearSettings();
  clearSubscription();
  session.status = 'signed-out';
  clearWallet();
});

const haveExchange = (): void => {
  accountChoice.known = [{ id: 'c1', exchange: 'kraken', label: 'Main' }];
};
/** The line of the screen's title, and the mark beside it. */
const head = (): string =>
  screen.getByRole('heading', { level: 1 }).parentElement?.parentElement?.textContent ?? '';
const maximum = (): HTMLElement => screen.getByLabelText('Maximum per order');
const hint = (): string =>
  document.getElementById(maximum().getAttribute('aria-describedby') ?? '')?.textContent ?? '';

describe('the trading screen', () => {
  it('of a person with paper agents alone is marked PAPER, in the paper account’s currency (R2-10)', () => {
    render(<TradingScreen />);
    expect(head()).toContain('Rules for your agents.');
    expect(head()).toContain('PAPER');
    expect(hint()).toMatch(/Limits every single order\.$/);
    expect(maximum().parentElement?.textContent).toContain('USDT');
  });

  it('says with exchange accounts that its rules hold for live agents too, in each account’s currency (R2-10)', () => {
    haveExchange();
    render(<TradingScreen />);
    expect(head()).toContain('Rules for all your agents, paper and live.');
    expect(head()).not.toContain('PAPER');
    expect(hint()).toMatch(/Limits every single order, in the currency of its account\.$/);
    expect(maximum().parentElement?.textContent).not.toContain('USDT');
    expect(
      within(screen.getByRole('region', { name: 'Trading account' })).getByText('PAPER'),
    ).toBeTruthy();
    expect(document.body.textContent).not.toContain('Trading uses paper money');
  });
});

describe('the trading screen without settings', () => {
  it('says that neither they nor the own risk values are loaded, instead of waiting for ever (R2-10)', () => {
    clearSettings();
    session.status = 'signed-in';
    subscriptionStore.entitlement.subscriptionTier = 'pro';
    Object.assign(settingsStore, { status: 'error', error: 'The server had an error.' });
    render(<TradingScreen />);
    for (const name of ['Trading settings', 'Your own risk values'])
      expect(screen.getByRole('region', { name }).textContent).toContain('Not loaded yet.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
    expect(document.querySelector('form, [aria-label="Loading"]')).toBeNull();
  });
});

describe('the wallet screen', () => {
  it('is marked PAPER where agents trade nothing else', () => {
    render(<WalletScreen />);
    expect(head()).toContain('Agents cannot spend from your wallet.');
    expect(head()).toContain('PAPER');
  });

  it('is not with exchange accounts', () => {
    haveExchange();
    render(<WalletScreen />);
    expect(head()).toContain('Agents cannot spend from your wallet.');
    expect(head()).not.toMatch(/paper/i);
  });
});
