// @vitest-environment happy-dom
/** The trading settings and risk values as forms: what they send, what they keep, what they say. */
import '../../../support/page-world.ts';
import {
  act,
  cleanup,
  fireEvent,
  render,
  renderHook,
  screen,
  waitFor,
  within,
} from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSnapshot } from 'valtio';
import { riskVersion } from '../../../../contract/risk-version.ts';
import type { UserSettings } from '../../../../contract/user.ts';

const { call, keptHere, updateProfile } = vi.hoisted(() => ({
  keptHere: vi.fn(() => true),
  call: vi.fn(),
  updateProfile: vi.fn(() => Promise.resolve()),
}));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  keepsSnapshots: keptHere,
}));
vi.mock('../../../../src/identity/session.ts', async (original) => ({
  ...(await original<object>()),
  updateProfile,
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { ProfileForm, SettingsForm } =
  await import('../../../../src/screens/trading/SettingsForm.tsx');
const { useBlocked } = await import('../../../../src/screens/trading/settings-access.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { RiskForm } = await import('../../../../src/screens/trading/RiskForm.tsx');
const { writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');
const { applySettings, clearSettings, settingsStore } =
  await import('../../../../src/stores/settings-store.ts');

const settings: UserSettings = {
  displayName: 'Ann',
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'optimized',
  riskProfile: 'moderate',
  maxTradeAmount: 10_000,
  notificationsEnabled: true,
};
const KEY = expect.any(String) as string;
const form = (blocked: string | null = null) =>
  render(<SettingsForm initial={settings} version={3} quote="USDT" blocked={blocked} />);
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string) => {
  fireEvent.change(field(name), { target: { value } });
};
const save = (name = 'Save settings') => {
  fireEvent.click(screen.getByRole('button', { name }));
};

beforeEach(() => {
  call.mockReset();
  keptHere.mockReset().mockReturnValue(true);
  updateProfile.mockClear();
  removeToast();
  localStorage.clear();
  applySettings({ settings, version: 3, riskProfiles: [] }, 'network');
});
afterEach(() => {
  cleanup();
  clearSettings();
});

/** Drafts are kept for the person of this device alone. */
function logIn(): void {
  const user = { uid: 'uid-1', email: 'a@example.com', lastSignInTime: new Date(0).toUTCString() };
  writeLastUser(user);
  Object.assign(session, { user });
}

const profile = () => render(<ProfileForm initial={settings} version={3} blocked={null} />);

const RISK_SAVED = {
  profile: 'Moderate' as const,
  max_position_percentage: 10,
  confidence_threshold: 0.5,
  stop_loss_percentage: 5,
};
const RiskFormShown = () => (
  <RiskForm own={useSnapshot(settingsStore).data?.riskProfiles ?? []} blocked={null} />
);

describe('the trading settings form', () => {
  it('sends what was typed with the version it was typed on, and shows what the server made of it (R2-10, R3-04, R7-27)', async () => {
    const saved = { ...settings, tradingEnabled: false, maxTradeAmount: 250.5 };
    call.mockResolvedValue({ commandId: '1', settings: saved, version: 4 });
    form();
    type('Maximum per order', '250,5');
    fireEvent.click(screen.getByRole('switch', { name: 'Agents may open positions' }));
    save();
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(4);
    });
    expect(call).toHaveBeenCalledExactlyOnceWith('updateTradingSettings', {
      body: { ...saved, version: 3 },
      commandId: KEY,
    });
    expect(field('Maximum per order').value).toBe('250.5');
  });

  it('labels its switch with what on means, and its sentence agrees with the state', () => {
    form();
    const trading = screen.getByRole('switch', { name: 'Agents may open positions' });
    const sentence = () =>
      document.getElementById(trading.getAttribute('aria-describedby') ?? '')?.textContent;
    expect(trading.getAttribute('aria-checked')).toBe('true');
    expect(sentence()).toBe('When off, agents open no new positions. Stop losses stay active.');
    fireEvent.click(trading);
    expect(trading.getAttribute('aria-checked')).toBe('false');
    expect(sentence()).toBe('Off: agents open no new positions. Stop losses stay active.');
    for (const one of screen.getAllByRole('switch', { checked: true })) {
      expect(
        document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent,
      ).not.toMatch(/^Off/);
    }
  });

  it('names each field that is wrong, sends nothing and keeps what was typed (R5-15)', () => {
    form();
    type('Maximum per order', '1000001');
    save();
    expect(field('Maximum per order').getAttribute('aria-invalid')).toBe('true');
    expect(call).not.toHaveBeenCalled();
    expect(field('Maximum per order').value).toBe('1000001');
  });

  it('says why it cannot save while it cannot', () => {
    form("You're offline. Your entries are kept. Save when you're back online.");
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save settings' }).disabled).toBe(
      true,
    );
    expect(screen.getByText(/^You're offline/)).toBeTruthy();
  });
});

describe('a form that is typed into while it is being saved', () => {
  const reply = () => {
    let answer: (value: unknown) => void = () => undefined;
    call.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    return (value: unknown): void => {
      answer(value);
    };
  };

  it('keeps what came after the press, also over a reload, and saves it on the new version (R2-10, R7-27)', async () => {
    logIn();
    const answer = reply();
    form();
    type('Maximum per order', '250');
    save();
    type('Maximum per order', '2507');
    answer({ commandId: '1', settings: { ...settings, maxTradeAmount: 250 }, version: 4 });
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(4);
    });
    expect(field('Maximum per order').value).toBe('2507');
    cleanup();
    form();
    expect(field('Maximum per order').value).toBe('2507');
    call.mockResolvedValueOnce({
      commandId: '2',
      settings: { ...settings, maxTradeAmount: 2507 },
      version: 5,
    });
    save();
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(5);
    });
    expect(call).toHaveBeenLastCalledWith('updateTradingSettings', {
      body: { ...settings, maxTradeAmount: 2507, version: 4 },
      commandId: KEY,
    });
    expect(localStorage.getItem('tradewind.draft.settings')).toBeNull();
  });

  it('keeps risk values that came after the press (R3-03, R7-22)', async () => {
    const answer = reply();
    call.mockResolvedValue({ settings, version: 3, riskProfiles: [] });
    render(<RiskForm own={[]} blocked={null} />);
    type('Largest position', '12');
    type('Signal threshold', '0.6');
    type('Stop loss', '4');
    save('Save risk values');
    type('Stop loss', '45');
    answer({});
    await waitFor(() => {
      expect(
        screen.getByRole('button', { name: 'Save risk values' }).getAttribute('aria-busy'),
      ).toBeNull();
    });
    expect(field('Stop loss').value).toBe('45');
  });
});

describe('the profile form', () => {
  it('saves the name with everything else as it is, and gives it to the sign-in (R3-04, R5-12, R7-28)', async () => {
    call.mockResolvedValue({
      commandId: '1',
      settings: { ...settings, displayName: 'Ann B' },
      version: 4,
    });
    profile();
    type('Display name', ' Ann B ');
    save('Save profile');
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(4);
    });
    expect(call).toHaveBeenCalledExactlyOnceWith('updateTradingSettings', {
      body: { ...settings, displayName: 'Ann B', version: 3 },
      commandId: KEY,
    });
    expect(field('Display name').value).toBe('Ann B');
    expect(updateProfile).toHaveBeenCalledExactlyOnceWith({ displayName: 'Ann B' });
  });

  it('names what is wrong, sends nothing and keeps what was typed (R5-12)', () => {
    profile();
    type('Display name', '<b>');
    save('Save profile');
    expect(screen.getByText('Only letters, digits, spaces, hyphens and underscores')).toBeTruthy();
    expect(call).not.toHaveBeenCalled();
    expect(field('Display name').value).toBe('<b>');
  });
});

describe('a form over settings that changed elsewhere', () => {
  const changedTo = (theirs: UserSettings, version = 9) =>
    new ApiError('409', {
      code: 'settings_changed',
      status: 409,
      text: '',
      details: { settings: theirs, version },
    });
  const paused = { ...settings, tradingMode: 'paused' as const };

  it('saves a name on what another form or device has set since, and asks nothing (R3-04, R7-27)', async () => {
    const named = { ...paused, displayName: 'Mine' };
    profile();
    type('Display name', 'Mine');
    await act(async () => {
      applySettings({ settings: paused, version: 9, riskProfiles: [] }, 'network');
      await Promise.resolve();
    });
    expect(screen.queryByText(/^Changed on another device/)).toBeNull();
    call.mockResolvedValueOnce({ commandId: '1', settings: named, version: 10 });
    save('Save profile');
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(10);
    });
    expect(call.mock.calls).toMatchObject([
      ['updateTradingSettings', { body: { ...named, version: 9 } }],
    ]);
  });

  it('merges a name into what the server names as changed, and asks nothing (R3-04, R7-27)', async () => {
    const named = { ...paused, displayName: 'Mine' };
    call
      .mockRejectedValueOnce(changedTo(paused))
      .mockResolvedValueOnce({ commandId: '1', settings: named, version: 10 });
    profile();
    type('Display name', 'Mine');
    save('Save profile');
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(10);
    });
    expect(call).toHaveBeenLastCalledWith(
      'updateTradingSettings',
      expect.objectContaining({ body: { ...named, version: 9 } }),
    );
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('gives up merging where every try finds another change, and keeps what was typed', async () => {
    let version = 8;
    call.mockImplementation(() => {
      version += 1;
      return Promise.reject(changedTo({ ...settings, maxTradeAmount: version }, version));
    });
    profile();
    type('Display name', 'Mine');
    save('Save profile');
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The settings were changed on another device. Your entries are kept.',
    );
    expect(call.mock.calls.length).toBeLessThan(6);
    expect(field('Display name').value).toBe('Mine');
  });

  it("keeps what was typed in other fields where the server's side is taken", async () => {
    call.mockRejectedValueOnce(changedTo({ ...settings, maxTradeAmount: 5 }));
    form();
    type('Maximum per order', '70');
    fireEvent.change(field('Mode'), { target: { value: 'paused' } });
    save();
    const clash = within(await screen.findByRole('alert'));
    expect(
      clash
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual(['Maximum per order705']);
    fireEvent.click(clash.getByRole('button', { name: "Use the server's" }));
    expect([field('Maximum per order').value, field('Mode').value]).toEqual(['5', 'paused']);
    screen.getByText(/^Not saved yet\./);
  });

  it('asks again where something else was typed after the question', async () => {
    call.mockRejectedValueOnce(changedTo({ ...settings, maxTradeAmount: 5 }));
    form();
    type('Maximum per order', '70');
    save();
    await screen.findByRole('alert');
    type('Maximum per order', '80');
    expect(screen.queryByRole('alert')).toBeNull();
    save();
    expect(within(await screen.findByRole('alert')).getByText('80')).toBeTruthy();
    expect(call).toHaveBeenCalledOnce();
  });

  it('keeps on the device only what was changed, with what it was before', () => {
    logIn();
    profile();
    type('Display name', 'Mine');
    expect(JSON.parse(localStorage.getItem('tradewind.draft.profile') ?? '')).toMatchObject({
      value: { draft: { displayName: 'Mine' }, from: { displayName: 'Ann' } },
    });
    type('Display name', 'Ann');
    expect(localStorage.getItem('tradewind.draft.profile')).toBeNull();
  });

  it('asks after a reload too where the same field was changed on both sides', async () => {
    logIn();
    form();
    type('Maximum per order', '70');
    cleanup();
    applySettings(
      { settings: { ...paused, maxTradeAmount: 5 }, version: 9, riskProfiles: [] },
      'network',
    );
    form();
    expect([field('Maximum per order').value, field('Mode').value]).toEqual(['70', 'paused']);
    save();
    expect(
      within(await screen.findByRole('alert'))
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual(['Maximum per order705']);
    expect(call).not.toHaveBeenCalled();
  });

  describe('with entries that a build from before has kept, every field of them', () => {
    const keepWhole = (name: string, change: object, base: number): void => {
      logIn();
      const draft = { ...settings, maxTradeAmount: '10000', ...change };
      localStorage.setItem(
        `tradewind.draft.${name}`,
        JSON.stringify({ uid: 'uid-1', value: { base, draft } }),
      );
    };
    beforeEach(() => {
      applySettings({ settings: paused, version: 9, riskProfiles: [] }, 'network');
      call.mockResolvedValue({ commandId: '1', settings: paused, version: 10 });
    });

    it('takes the name alone for the profile (R3-04)', async () => {
      keepWhole('profile', { displayName: 'Mine' }, 9);
      render(<ProfileForm initial={paused} version={9} blocked={null} />);
      save('Save profile');
      await waitFor(() => {
        expect(call.mock.calls).toMatchObject([
          ['updateTradingSettings', { body: { ...paused, displayName: 'Mine', version: 9 } }],
        ]);
      });
    });

    it('asks before it writes over settings that have changed since (R3-04)', async () => {
      keepWhole('settings', { maxTradeAmount: '70' }, 3);
      render(<SettingsForm initial={paused} version={9} quote="USDT" blocked={null} />);
      save();
      expect(
        within(await screen.findByRole('alert'))
          .getAllByRole('row')
          .slice(1)
          .map((row) => row.textContent),
      ).toEqual(['Modeautomaticpaused', 'Maximum per order7010,000']);
      expect(call).not.toHaveBeenCalled();
    });
  });

  it('shows both sides of a clash, and saves over or gives way as told', async () => {
    const theirs = { ...settings, displayName: 'Elsewhere', maxTradeAmount: 5 };
    call.mockRejectedValueOnce(changedTo(theirs));
    profile();
    type('Display name', 'Mine');
    save('Save profile');
    const clash = await screen.findByRole('alert');
    const cells = within(clash)
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
    expect(cells).toEqual(['Display nameMineElsewhere']);
    expect(field('Display name').value).toBe('Mine');
    call.mockResolvedValueOnce({
      commandId: '2',
      settings: { ...theirs, displayName: 'Mine' },
      version: 10,
    });
    save('Save mine');
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(10);
    });
    expect(call).toHaveBeenLastCalledWith('updateTradingSettings', {
      body: { ...theirs, displayName: 'Mine', version: 9 },
      commandId: KEY,
    });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it("can take the server's side", async () => {
    call.mockRejectedValueOnce(changedTo({ ...settings, maxTradeAmount: 5 }));
    form();
    type('Maximum per order', '70');
    save();
    fireEvent.click(await screen.findByRole('button', { name: "Use the server's" }));
    expect(field('Maximum per order').value).toBe('5');
    call.mockResolvedValueOnce({ commandId: '2', settings, version: 10 });
    save();
    await waitFor(() => {
      expect(call).toHaveBeenLastCalledWith('updateTradingSettings', {
        body: { ...settings, maxTradeAmount: 5, version: 9 },
        commandId: KEY,
      });
    });
  });

  it.each(['Trading settings', 'Profile'])(
    'takes what the server has by now where nothing was typed: %s (R2-10)',
    async (name) => {
      const theirs = { ...settings, displayName: 'Elsewhere', maxTradeAmount: 5 };
      if (name === 'Profile') profile();
      else form();
      act(() => {
        applySettings({ settings: theirs, version: 9, riskProfiles: [] }, 'network');
      });
      const [label, value] =
        name === 'Profile'
          ? (['Display name', 'Elsewhere'] as const)
          : (['Maximum per order', '5'] as const);
      await waitFor(() => {
        expect(field(label).value).toBe(value);
      });
      expect(screen.queryByText(/^Changed on another device/)).toBeNull();
      call.mockResolvedValue({ commandId: '1', settings: theirs, version: 10 });
      save(name === 'Profile' ? 'Save profile' : 'Save settings');
      await waitFor(() => {
        expect(call).toHaveBeenCalledWith('updateTradingSettings', {
          body: { ...theirs, version: 9 },
          commandId: KEY,
        });
      });
    },
  );

  it('keeps what was typed over a newer answer, and says that there is one (R2-10)', async () => {
    form();
    type('Maximum per order', '70');
    act(() => {
      applySettings(
        { settings: { ...settings, maxTradeAmount: 5 }, version: 9, riskProfiles: [] },
        'network',
      );
    });
    await screen.findByText(/^Changed on another device since you opened this\./);
    expect(field('Maximum per order').value).toBe('70');
  });

  it('says that entries are kept on this device only where they are', () => {
    form();
    type('Maximum per order', '70');
    screen.getByText('Not saved yet. Your entries are kept on this device.');
    cleanup();
    keptHere.mockReturnValue(false);
    form();
    type('Maximum per order', '71');
    screen.getByText('Not saved yet.');
  });

  it('says offline that entries are kept only where they are', () => {
    connection.online = 'offline';
    try {
      const said = () => renderHook(useBlocked).result.current;
      expect(said()).toBe("You're offline. Your entries are kept. Save when you're back online.");
      keptHere.mockReturnValue(false);
      expect(said()).toBe("You're offline. Save when you're back online.");
    } finally {
      connection.online = 'online';
    }
  });

  it('keeps everything typed where the server cannot be reached', async () => {
    call.mockRejectedValue(
      new ApiError('Failed to fetch', { code: 'network', status: 0, text: 'Failed to fetch' }),
    );
    form();
    type('Maximum per order', '70');
    save();
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Could not reach the server. Saved data is still available.',
    );
    expect(field('Maximum per order').value).toBe('70');
  });
});

describe('a save whose answer was lost', () => {
  const lost = new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' });
  const keys = () =>
    call.mock.calls.map(([, input]) => (input as { commandId?: string }).commandId);
  const pressTwice = async (): Promise<void> => {
    call.mockRejectedValueOnce(lost);
    form();
    type('Maximum per order', '70');
    save();
    await screen.findByRole('alert');
  };
  const mine = { ...settings, maxTradeAmount: 70 };

  it('is sent again under its key, so that its receipt answers (R7-27)', async () => {
    await pressTwice();
    call.mockResolvedValueOnce({ commandId: '1', settings: mine, version: 4 });
    save();
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(4);
    });
    const [first, second] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
    type('Maximum per order', '80');
    call.mockResolvedValueOnce({ commandId: '2', settings, version: 5 });
    save();
    await waitFor(() => {
      expect(keys()).toHaveLength(3);
    });
    expect(keys()[2]).not.toBe(first);
  });

  it('is undone by a change back, which is saved over what had arrived (R7-27)', async () => {
    await pressTwice();
    // The server has 70 by now, and this page does not know.
    type('Maximum per order', String(settings.maxTradeAmount));
    call.mockImplementation((_name: string, { body }: { body: { version: number } }) =>
      body.version === 3
        ? Promise.reject(
            new ApiError('409', {
              code: 'settings_changed',
              status: 409,
              text: '',
              details: { settings: mine, version: 4 },
            }),
          )
        : Promise.resolve({ commandId: '2', settings, version: 5 }),
    );
    save();
    await waitFor(() => {
      expect(settingsStore.data?.version).toBe(5);
    });
    expect(call).toHaveBeenLastCalledWith(
      'updateTradingSettings',
      expect.objectContaining({ body: { ...settings, version: 4 } }),
    );
    expect(screen.queryByText(/^Changed on another device/)).toBeNull();
  });

  it('leaves no entry behind where it was refused after a change back', async () => {
    let refuse: (error: Error) => void = () => undefined;
    call.mockReturnValueOnce(
      new Promise((_resolve, reject) => {
        refuse = reject;
      }),
    );
    form();
    type('Maximum per order', '70');
    save();
    type('Maximum per order', String(settings.maxTradeAmount));
    refuse(new ApiError('No', { code: 'trading_disabled', status: 403, text: 'No' }));
    await screen.findByRole('alert');
    expect(localStorage.getItem('tradewind.draft.settings')).toBeNull();
  });

  it('keeps a change back that was made before the answer', async () => {
    let answer: (reply: unknown) => void = () => undefined;
    call.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    form();
    type('Maximum per order', '70');
    save();
    type('Maximum per order', String(settings.maxTradeAmount));
    answer({ commandId: '1', settings: mine, version: 4 });
    expect(await screen.findByText(/^Not saved yet/)).toBeTruthy();
    expect(field('Maximum per order').value).toBe(String(settings.maxTradeAmount));
  });

  it('has another key for other entries, and for the same ones once they were refused', async () => {
    await pressTwice();
    type('Maximum per order', '80');
    call.mockRejectedValueOnce(
      new ApiError('No', { code: 'trading_disabled', status: 403, text: 'No' }),
    );
    save();
    await waitFor(() => {
      expect(keys()).toHaveLength(2);
    });
    await waitFor(() => {
      expect(
        screen.getByRole('button', { name: 'Save settings' }).getAttribute('aria-busy'),
      ).toBeNull();
    });
    call.mockResolvedValueOnce({ commandId: '3', settings, version: 4 });
    save();
    await waitFor(() => {
      expect(keys()).toHaveLength(3);
    });
    expect(new Set(keys()).size).toBe(3);
  });

  it('counts as saved where the server has these values by now, whoever wrote them (R7-27)', async () => {
    call.mockRejectedValueOnce(
      new ApiError('409', {
        code: 'settings_changed',
        status: 409,
        text: '',
        details: { settings: mine, version: 4 },
      }),
    );
    logIn();
    form();
    type('Maximum per order', '70');
    save();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain('Trading settings saved.');
    });
    expect(call).toHaveBeenCalledOnce();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByText(/^Not saved yet/)).toBeNull();
    expect(localStorage.getItem('tradewind.draft.settings')).toBeNull();
    expect(settingsStore.data?.version).toBe(4);
  });

  it('is no longer unsaved once the page reads that it was saved (R7-27)', async () => {
    await pressTwice();
    await act(async () => {
      applySettings({ settings: mine, version: 4, riskProfiles: [] }, 'network');
      await Promise.resolve();
    });
    expect(screen.queryByText(/^Not saved yet/)).toBeNull();
    expect(screen.queryByText(/^Changed on another device/)).toBeNull();
    expect(field('Maximum per order').value).toBe('70');
  });
});

describe('the risk values form', () => {
  const fill = (values: [string, string, string]) => {
    ['Largest position', 'Signal threshold', 'Stop loss'].forEach((name, index) => {
      type(name, values[index] ?? '');
    });
  };

  it('saves the three numbers of the chosen profile (R3-03, R7-22)', async () => {
    call.mockImplementation((name: string) =>
      Promise.resolve(name === 'riskProfile' ? {} : { settings, version: 3, riskProfiles: [] }),
    );
    render(<RiskForm own={[]} blocked={null} />);
    fireEvent.change(field('Profile'), { target: { value: 'Aggressive' } });
    fill(['12.5', '0.6', '4']);
    save('Save risk values');
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith('tradingSettings', {});
    });
    expect(call).toHaveBeenCalledWith('riskProfile', {
      query: { version: 'presets' },
      body: {
        profile: 'Aggressive',
        max_position_percentage: 12.5,
        confidence_threshold: 0.6,
        stop_loss_percentage: 4,
      },
    });
  });

  it('refuses what is out of range, field by field, and keeps it on screen (R5-09, R5-10, R5-11)', () => {
    render(<RiskForm own={[]} blocked={null} />);
    fill(['100.01', '0.09', 'much']);
    save('Save risk values');
    expect(
      ['Largest position', 'Signal threshold', 'Stop loss'].map((name) =>
        field(name).getAttribute('aria-invalid'),
      ),
    ).toEqual(['true', 'true', 'true']);
    expect(field('Stop loss').value).toBe('much');
    expect(call).not.toHaveBeenCalled();
  });

  it("shows a person's own numbers, and keeps what was typed for one profile while another is looked at", () => {
    render(
      <RiskForm
        own={[
          {
            profile: 'Moderate',
            max_position_percentage: 7,
            confidence_threshold: 0.5,
            stop_loss_percentage: 2,
          },
        ]}
        blocked={null}
      />,
    );
    expect(field('Largest position').value).toBe('7');
    type('Largest position', '8');
    fireEvent.change(field('Profile'), { target: { value: 'Conservative' } });
    expect(field('Largest position').value).toBe('');
    fireEvent.change(field('Profile'), { target: { value: 'Moderate' } });
    expect(field('Largest position').value).toBe('8');
  });

  it("keeps what was typed where another device has saved since, and saves it on that device's stop loss (R3-03, R7-22)", async () => {
    const elsewhere = { ...RISK_SAVED, stop_loss_percentage: 2 };
    const mine = { ...elsewhere, max_position_percentage: 8 };
    let stored = elsewhere;
    call.mockImplementation(
      (name: string, { body, query }: { body: typeof RISK_SAVED; query: { version: string } }) => {
        if (name === 'tradingSettings')
          return Promise.resolve({ settings, version: 3, riskProfiles: [stored] });
        if (query.version !== riskVersion(stored))
          return Promise.reject(
            new ApiError('409', {
              code: 'settings_changed',
              status: 409,
              text: '',
              details: { profile: stored },
            }),
          );
        stored = body;
        return Promise.resolve({ commandId: '1', profile: body });
      },
    );
    applySettings({ settings, version: 3, riskProfiles: [RISK_SAVED] }, 'network');
    render(<RiskFormShown />);
    type('Largest position', '8');
    save('Save risk values');
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Changed on another device: largest position 10 %, signal threshold 0.5, stop loss 2 %. Your entries are kept. Save again to apply them.',
    );
    expect([field('Largest position').value, field('Stop loss').value]).toEqual(['8', '2']);
    expect(stored).toEqual(elsewhere);
    save('Save risk values');
    await waitFor(() => {
      expect(stored).toEqual(mine);
    });
    await waitFor(() => {
      expect(screen.queryByText(/^Not saved yet/)).toBeNull();
    });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('asks also where this page has heard of the other device meanwhile (R3-03, R7-22)', async () => {
    const elsewhere = { ...RISK_SAVED, stop_loss_percentage: 2 };
    call.mockImplementation((name: string) =>
      name === 'tradingSettings'
        ? Promise.resolve({ settings, version: 3, riskProfiles: [elsewhere] })
        : Promise.resolve({ commandId: '1', profile: elsewhere }),
    );
    applySettings({ settings, version: 3, riskProfiles: [RISK_SAVED] }, 'network');
    render(<RiskFormShown />);
    type('Stop loss', '3');
    applySettings({ settings, version: 4, riskProfiles: [elsewhere] }, 'network');
    await screen.findByText(/Saved: .* stop loss 2 %/);
    save('Save risk values');
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith(
        'riskProfile',
        expect.objectContaining({ query: { version: riskVersion(RISK_SAVED) } }),
      );
    });
  });

  it('is no question where this page’s own save had arrived, whose answer was lost (R7-22)', async () => {
    const arrived = { ...RISK_SAVED, stop_loss_percentage: 3 };
    applySettings({ settings, version: 3, riskProfiles: [RISK_SAVED] }, 'network');
    render(<RiskFormShown />);
    type('Stop loss', '3');
    call.mockRejectedValueOnce(
      new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' }),
    );
    save('Save risk values');
    await screen.findByRole('alert');
    applySettings({ settings, version: 4, riskProfiles: [arrived] }, 'network');
    await screen.findByText(/Saved: .* stop loss 3 %/);
    type('Stop loss', '4');
    call.mockResolvedValue({ commandId: '1', profile: arrived });
    save('Save risk values');
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith(
        'riskProfile',
        expect.objectContaining({
          query: { version: riskVersion(arrived) },
          body: { ...RISK_SAVED, stop_loss_percentage: 4 },
        }),
      );
    });
  });

  it('says so where another device has gone back to the presets', async () => {
    call.mockImplementation((name: string) =>
      name === 'tradingSettings'
        ? Promise.resolve({ settings, version: 3, riskProfiles: [] })
        : Promise.reject(
            new ApiError('409', {
              code: 'settings_changed',
              status: 409,
              text: '',
              details: { profile: null },
            }),
          ),
    );
    render(<RiskForm own={[]} blocked={null} />);
    fill(['12.5', '0.6', '4']);
    save('Save risk values');
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Changed on another device: Moderate agents use the presets. Your entries are kept. Save again to apply them.',
    );
  });

  describe('left before it is saved', () => {
    const OWN = {
      profile: 'Moderate' as const,
      max_position_percentage: 7,
      confidence_threshold: 0.5,
      stop_loss_percentage: 2,
    };
    const OFFLINE = "You're offline. Your entries are kept. Save when you're back online.";
    const open = (own = OWN, blocked: string | null = null) =>
      render(<RiskForm own={[own]} blocked={blocked} />);

    beforeEach(logIn);

    it('keeps what was typed, of each profile, and says that it is not saved (R3-03)', () => {
      open(OWN, OFFLINE);
      type('Stop loss', '3');
      fireEvent.change(field('Profile'), { target: { value: 'Aggressive' } });
      type('Largest position', '20');
      cleanup();
      open();
      expect(field('Stop loss').value).toBe('3');
      screen.getByText(
        /^Not saved yet\. Your entries are kept on this device\. Saved: .*stop loss 2 %\.$/,
      );
      fireEvent.change(field('Profile'), { target: { value: 'Aggressive' } });
      expect(field('Largest position').value).toBe('20');
      fireEvent.change(field('Profile'), { target: { value: 'Conservative' } });
      expect(screen.queryByText(/^Not saved yet/)).toBeNull();
    });

    it('takes what was not typed from the server, which may know better by then', () => {
      open(OWN, OFFLINE);
      type('Stop loss', '3');
      cleanup();
      open({ ...OWN, max_position_percentage: 5 });
      expect([field('Largest position').value, field('Stop loss').value]).toEqual(['5', '3']);
    });

    it('forgets the entries of a profile once they are saved, and no others', async () => {
      call.mockImplementation((name: string) =>
        Promise.resolve(
          name === 'riskProfile' ? {} : { settings, version: 3, riskProfiles: [OWN] },
        ),
      );
      open();
      fireEvent.change(field('Profile'), { target: { value: 'Aggressive' } });
      type('Stop loss', '9');
      fireEvent.change(field('Profile'), { target: { value: 'Moderate' } });
      type('Stop loss', '3');
      save('Save risk values');
      await waitFor(() => {
        expect(screen.queryByText(/^Not saved yet/)).toBeNull();
      });
      cleanup();
      open();
      expect(field('Stop loss').value).toBe('2');
      fireEvent.change(field('Profile'), { target: { value: 'Aggressive' } });
      expect(field('Stop loss').value).toBe('9');
    });

    it('are none where they say what is saved, and can be given up', () => {
      open();
      type('Stop loss', '3');
      type('Stop loss', '2');
      expect(screen.queryByText(/^Not saved yet/)).toBeNull();
      type('Stop loss', '3');
      fireEvent.click(screen.getByRole('button', { name: 'Discard entries' }));
      expect(field('Stop loss').value).toBe('2');
      expect(screen.queryByText(/^Not saved yet/)).toBeNull();
    });

    it('is not the next person’s', () => {
      open();
      type('Stop loss', '3');
      cleanup();
      Object.assign(session, { user: { uid: 'uid-2' } });
      open();
      expect(field('Stop loss').value).toBe('2');
    });
  });
});
