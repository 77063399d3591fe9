// @vitest-environment happy-dom
/** The list of passkeys: who sees it, what it says, and a removal that the server has confirmed. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { PasskeysSection } = await import('../../../../src/screens/security/PasskeysSection.tsx');
const { accountChoice, clearAccountChoice } =
  await import('../../../../src/stores/account-choice.ts');
const { connection } = await import('../../../../src/stores/connection.ts');

const NOW = Date.now();
const passkey = {
  id: 'p1',
  label: 'My phone',
  key: { id: 'p1', kind: 'passkey', credentialId: 'x', publicKey: 'y', counter: 0, transports: [] },
  createdAt: NOW - 86_400_000,
  lastUsedAt: null as number | null,
};
let kept = [passkey];

beforeEach(() => {
  kept = [passkey];
  connection.online = 'online';
  call.mockReset();
  call.mockImplementation((name: string, input: { params?: { id: string } }) => {
    if (name === 'passkeys') return Promise.resolve({ passkeys: structuredClone(kept) });
    kept = kept.filter(({ id }) => id !== input.params?.id);
    return Promise.resolve({ commandId: 'c', passkeyId: input.params?.id });
  });
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
});

describe('passkeys', () => {
  it('say nothing to a person who has none and no exchange account', async () => {
    kept = [];
    const { container } = render(<PasskeysSection />);
    await waitFor(() => {
      expect(call).toHaveBeenCalled();
    });
    await Promise.resolve();
    expect(container.textContent).toBe('');
  });

  it('are named with their last use, and deleted by keyboard after a question', async () => {
    kept = [{ ...passkey, lastUsedAt: NOW - 3_600_000 }];
    accountChoice.known = [{ id: 'c', exchange: 'kraken', label: 'Main' }];
    render(<PasskeysSection />);
    await screen.findByText('My phone');
    expect(screen.getByText(/last used/)).toBeTruthy();
    expect(screen.getByText(/keeps the passkeys it was connected with/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /^Delete/ }), { detail: 0 });
    expect(call.mock.calls.map(([name]) => name as string)).not.toContain('deletePasskey');
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Delete the passkey “My phone”?');
    fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await screen.findByText(/None\. You confirm with your password/);
    expect(screen.queryByText('My phone')).toBeNull();
  });

  it('stay where the server refuses, and are not invented offline', async () => {
    accountChoice.known = [{ id: 'c', exchange: 'kraken', label: 'Main' }];
    connection.online = 'offline';
    render(<PasskeysSection />);
    expect(screen.getByText(/You're offline/)).toBeTruthy();
    expect(screen.queryByText(/^None/)).toBeNull();
    expect(call).not.toHaveBeenCalled();
  });
});
