// @vitest-environment jsdom
/** Looking an address up, against an attestation service on this machine. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { getAddress } from 'viem';
import { createConfig, http, WagmiProvider } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WalletIdentity } from '../../../../src/wallet/identity/WalletIdentity.tsx';
import { Kit } from '../../../../src/wallet/kit/KitProvider.tsx';
import { DEFAULT_SCHEMA_ID } from '../../../../src/wallet/kit/kit-settings.ts';
import { readWalletEnvironment } from '../../../../src/wallet/wallet-environment.ts';
import { WalletSettings } from '../../../../src/wallet/wallet-settings.ts';
import { connection } from '../../../../src/stores/connection.ts';
import type { Asked } from '../../../support/reply-server.ts';
import { startProvider, type ProviderServer } from '../../../support/provider-server.ts';

const ADDRESS = '0x00000000000000000000000000000000000000aB';
const ATTESTATION = {
  id: `0x${'56'.repeat(32)}`,
  txid: `0x${'1'.repeat(64)}`,
  schemaId: DEFAULT_SCHEMA_ID,
  attester: '0x357458739F90461b99789350868CD7CF330Dd7EE',
  recipient: ADDRESS,
  revoked: false,
  revocationTime: 0,
  expirationTime: 0,
  time: 1_710_000_000,
  timeCreated: 1_710_000_001,
  decodedDataJson:
    '[{"name":"verifiedAccount","type":"bool","signature":"bool verifiedAccount","value":{"name":"verifiedAccount","type":"bool","value":true}}]',
};

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  connection.online = 'online';
  provider.asked.length = 0;
});
afterEach(cleanup);

const answer = (attestations: unknown): void => {
  provider.answer(({ path }) =>
    path.includes('easscan.org')
      ? { status: 200, body: { data: { attestations } } }
      : { status: 404 },
  );
};
const asksOfAttestations = (): Asked[] =>
  provider.asked.filter(({ path }) => path.includes('easscan.org'));

function show(environment: Record<string, string> = {}): void {
  const settings = readWalletEnvironment(environment);
  const config = createConfig({
    chains: [base, baseSepolia],
    transports: {
      [base.id]: http('http://127.0.0.1:9'),
      [baseSepolia.id]: http('http://127.0.0.1:9'),
    },
  });
  render(
    <WagmiProvider config={config}>
      <QueryClientProvider
        client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
      >
        <Kit settings={settings.kit}>
          <WalletSettings value={settings}>
            <WalletIdentity address={ADDRESS} />
          </WalletSettings>
        </Kit>
      </QueryClientProvider>
    </WagmiProvider>,
  );
}

describe("an address's identity", () => {
  it('is asked for by the person alone, in one query for the schema, the address and what is in force (R7-30, R3-15)', async () => {
    const schema = `0x${'c'.repeat(64)}`;
    answer([{ ...ATTESTATION, schemaId: schema }]);
    show({ VITE_ONCHAINKIT_SCHEMA_ID: schema });
    expect(provider.asked).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Look up name and attestations' }));
    await screen.findByRole('list', { name: 'Attestations' });
    const [asked] = asksOfAttestations();
    expect(asked).toMatchObject({ method: 'POST', path: '/base-sepolia.easscan.org/graphql' });
    const { query, variables } = (asked ?? { body: {} }).body as {
      query: string;
      variables: { where: { AND: [Record<string, unknown>] }; distinct: string[]; take: number };
    };
    expect(query).toContain('attestations(where: $where, distinct: $distinct, take: $take)');
    expect(variables).toMatchObject({ distinct: ['schemaId'], take: 10 });
    expect(variables.where.AND[0]).toMatchObject({
      recipient: { equals: getAddress(ADDRESS) },
      revoked: { equals: false },
      schemaId: { in: [schema] },
    });
    expect(JSON.stringify(variables.where.AND[0].OR)).toMatch(
      /^\[\{"expirationTime":\{"equals":0\}\},\{"expirationTime":\{"gt":\d{10}\}\}\]$/,
    );
  });

  it("shows who vouches for it and since when, with the kit's own mark (R7-30)", async () => {
    answer([ATTESTATION]);
    show();
    fireEvent.click(screen.getByRole('button', { name: /Look up/ }));
    const list = await screen.findByRole('list', { name: 'Attestations' });
    expect(list.textContent).toMatch(/^Attested by 0x3574…d7EE on .*2024/);
    await waitFor(() => {
      expect(document.querySelector('[data-testid="ockBadge"]')).not.toBeNull();
    });
    expect(screen.getAllByText('0x0000...00aB').length).toBeGreaterThan(0);
  });

  it.each([
    [
      'has none',
      () => {
        answer([]);
      },
      /No attestations for this address on Base Sepolia/,
    ],
    [
      "has one that was taken back, is over, or is somebody else's",
      () => {
        answer([
          { ...ATTESTATION, revoked: true },
          { ...ATTESTATION, expirationTime: 1_700_000_000 },
          { ...ATTESTATION, recipient: `0x${'9'.repeat(40)}` },
        ]);
      },
      /No attestations for this address/,
    ],
    [
      'cannot be asked',
      () => {
        provider.answer(() => 'reset');
      },
      /Attestations are unknown: the attestation service did not answer/,
    ],
    [
      'answers strangely',
      () => {
        provider.answer(() => ({ status: 200, body: { errors: ['x'] } }));
      },
      /Attestations are unknown/,
    ],
  ])(
    'is the bare address where the service %s, and says which (R7-30)',
    async (_, prepare, sentence) => {
      prepare();
      show();
      fireEvent.click(screen.getByRole('button', { name: /Look up/ }));
      await screen.findByText(sentence);
      expect(document.querySelector('[data-testid="ockBadge"]')).toBeNull();
      expect(screen.getAllByText('0x0000...00aB').length).toBeGreaterThan(0);
      answer([ATTESTATION]);
      const again = screen.queryByRole('button', { name: 'Try again' });
      if (again === null) return;
      fireEvent.click(again);
      await screen.findByRole('list', { name: 'Attestations' });
    },
  );

  it('needs the network', () => {
    connection.online = 'offline';
    show();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /Look up/ }).disabled).toBe(true);
    expect(screen.getByText('Available when you are online.')).toBeTruthy();
  });
});
