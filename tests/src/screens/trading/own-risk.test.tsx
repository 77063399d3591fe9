// @vitest-environment happy-dom
/** Own risk values after a smaller plan: what is said of them, and the way back to the presets. */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RiskProfileBody, UserSettings } from '../../../../contract/user.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../src/screens/trading/WalletSection.tsx', () => ({
  WalletSection: () => null,
}));
vi.mock('../../../../src/screens/trading/WalletStatus.tsx', () => ({ WalletStatus: () => null }));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { default: TradingScreen } =
  await import('../../../../src/screens/trading/TradingScreen.tsx');
const { RiskForm } = await import('../../../../src/screens/trading/RiskForm.tsx');
const { comesAndGoes } = await import('../../../../src/screens/subscription/change-text.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applySettings, clearSettings } = await import('../../../../src/stores/settings-store.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const settings: UserSettings = {
  displayName: 'Ann',
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'optimized',
  riskProfile: 'moderate',
  maxTradeAmount: 10_000,
  notificationsEnabled: true,
};
const own: RiskProfileBody = {
  profile: 'Moderate',
  max_position_percentage: 12.5,
  confidence_threshold: 0.6,
  stop_loss_percentage: 4,
};
/** The server's side. */
let stored: RiskProfileBody[];

beforeEach(() => {
  stored = [own];
  call.mockReset();
  call.mockImplementation((name: string, input: { body?: { profile: string } }) => {
    if (name === 'usePresets') {
      stored = stored.filter(({ profile }) => profile !== input.body?.profile);
      return Promise.resolve({ commandId: '1', ...input.body });
    }
    return name === 'tradingSettings'
      ? Promise.resolve({ settings, version: 3, riskProfiles: stored })
      : Promise.reject(new Error('Not asked for here'));
  });
  connection.online = 'online';
  session.status = 'signed-in';
  applySettings({ settings, version: 3, riskProfiles: stored }, 'network');
});
afterEach(() => {
  cleanup();
  removeToast();
  clearSettings();
});

/** A screen reader's click asks in a dialog instead of a hold. */
async function press(): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name: /^Use the Moderate presets/ }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText(
    /^Deletes your own Moderate values\. .*stop loss 5 %\. Open positions keep their stop losses\.$/,
  );
  fireEvent.click(dialog.getByRole('button', { name: 'Use the Moderate presets' }));
}

describe('own risk values', () => {
  it('on a plan without them are shown as still in effect, and can be given up but not changed', async () => {
    render(<TradingScreen />);
    const values = within(screen.getByRole('region', { name: 'Moderate values' }));
    expect(screen.getByText(/^Your own values are still in effect\./)).toBeTruthy();
    expect(screen.queryByText(/Agents use the presets of their profile/)).toBeNull();
    expect(
      ['Largest position', 'Signal threshold', 'Stop loss'].map(
        (term) => values.getByText(term).nextElementSibling?.textContent,
      ),
    ).toEqual(['12.5 %', '0.6', '4 %']);
    expect(screen.queryByRole('button', { name: 'Save risk values' })).toBeNull();
    await press();
    await screen.findByText(/^Agents use the presets of their profile\./);
    expect(call).toHaveBeenCalledWith('usePresets', { body: { profile: 'Moderate' } });
    expect(screen.queryByRole('region', { name: 'Moderate values' })).toBeNull();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toEqual([
        'Moderate agents use the presets. Open positions keep their stop losses.',
      ]);
    });
  });

  it('on a plan with them can be given up too', async () => {
    const { rerender } = render(<RiskForm own={[own]} blocked={null} />);
    await press();
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith('tradingSettings', {});
    });
    rerender(<RiskForm own={[]} blocked={null} />);
    expect(screen.queryByRole('button', { name: /^Use the Moderate presets/ })).toBeNull();
    expect(
      screen.getByText('Moderate agents use the presets until you save your own values.'),
    ).toBeTruthy();
  });

  describe('whose saving is refused while another profile is shown', () => {
    const choose = (profile: string): void => {
      fireEvent.change(screen.getByLabelText('Profile'), { target: { value: profile } });
    };
    /** Saves Moderate, goes on to Aggressive, and has the server refuse. */
    async function refuse(error: InstanceType<typeof ApiError>): Promise<void> {
      const usual = call.getMockImplementation();
      let reject: (error: unknown) => void = () => undefined;
      call.mockImplementation((name: string, input: unknown): unknown =>
        name === 'riskProfile'
          ? new Promise((_resolve, no) => {
              reject = no;
            })
          : usual?.(name, input),
      );
      render(<RiskForm own={[own]} blocked={null} />);
      fireEvent.change(screen.getByLabelText('Stop loss'), { target: { value: '3' } });
      fireEvent.click(screen.getByRole('button', { name: 'Save risk values' }));
      choose('Aggressive');
      await act(async () => {
        reject(error);
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
    }

    it('says under the other only that there is something, and the rest under its own', async () => {
      await refuse(
        new ApiError('Changed', {
          code: 'settings_changed',
          status: 409,
          text: 'Changed',
          details: { profile: { ...own, max_position_percentage: 10 } },
        }),
      );
      expect(screen.getByRole('alert').textContent).toBe(
        'Moderate was not confirmed as saved. Choose it to see why.',
      );
      choose('Moderate');
      expect(screen.getByRole('alert').textContent).toMatch(
        /^Changed on another device: largest position 10 %.* Save again to apply them\.$/,
      );
      fireEvent.click(screen.getByRole('button', { name: 'Discard entries' }));
      expect(screen.queryByRole('alert')).toBeNull();
    });

    it('marks the fields of its own profile alone', async () => {
      await refuse(
        new ApiError('Invalid', {
          code: 'invalid_request',
          status: 400,
          text: 'Not valid',
          issues: [{ field: 'stop_loss_percentage', message: 'Too narrow' }],
        }),
      );
      expect(screen.queryByText('Too narrow')).toBeNull();
      choose('Moderate');
      expect(screen.getByText('Too narrow')).toBeTruthy();
    });
  });

  it('are not said to be lost by a change to a smaller plan', () => {
    const permission = { resource: 'trading', action: 'standard' } as const;
    expect(comesAndGoes({ gained: [], lost: [permission] }).givesUp).toEqual([
      'changing your own risk values (saved ones stay in effect)',
    ]);
    expect(comesAndGoes({ gained: [permission], lost: [] }).gets).toEqual(['Your own risk values']);
  });
});
