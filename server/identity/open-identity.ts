/** Opens the identity part of the server: the token verifier, or the emulator. */
import type { FastifyInstance } from 'fastify';
import type { WallClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { ProviderAccounts } from './accounts.ts';
import { FirebaseAdministration, type IdentityAdministration } from './administration.ts';
import { EMULATOR_PATHS, registerEmulatorProxy } from './emulator-proxy.ts';
import { startEmulator } from './emulator.ts';
import { KeySet } from './key-set.ts';
import { EmulatorTokenVerifier, SignedTokenVerifier } from './token-verifier.ts';
import type { TokenVerifier } from './verifier.ts';

export interface RunningIdentity {
  verifier: TokenVerifier;
  administration: IdentityAdministration;
  /** The emulator's paths under our own origin; none with a real provider. */
  extend: ((app: FastifyInstance) => Promise<void>)[];
  bare: readonly string[];
  stop(): Promise<void>;
}

const EMULATOR_KEY = 'emulator';

export async function openIdentity(
  config: Config,
  clock: WallClock,
  log: Log,
): Promise<RunningIdentity> {
  const { identity, projectId } = config;
  if (identity.kind === 'keys') {
    if (identity.accounts === null)
      log.warn(
        {},
        'no accounts address or VITE_FIREBASE_API_KEY: disabled and revoked users lose access only when their token expires',
      );
    const accounts =
      identity.accounts === null
        ? null
        : new ProviderAccounts(
            identity.accounts.url,
            identity.accounts.apiKey,
            clock,
            config.accountCheckMs,
          );
    return {
      verifier: new SignedTokenVerifier(new KeySet(identity.keysUrl, clock), {
        projectId,
        clock,
        accounts,
      }),
      administration: new FirebaseAdministration(projectId, null, log),
      extend: [],
      bare: [],
      stop: async () => undefined,
    };
  }
  const emulator =
    identity.external === null
      ? await startEmulator({
          projectId,
          dataDir: config.dataDir,
          port: identity.port,
          portIsChosen: identity.portIsChosen,
          log,
        })
      : { baseUrl: `http://${identity.external}`, stop: async () => undefined };
  const accounts = new ProviderAccounts(
    `${emulator.baseUrl}/identitytoolkit.googleapis.com`,
    EMULATOR_KEY,
    clock,
    config.accountCheckMs,
  );
  return {
    verifier: new EmulatorTokenVerifier({ projectId, clock, accounts }),
    administration: new FirebaseAdministration(projectId, new URL(emulator.baseUrl).host, log),
    extend: [registerEmulatorProxy(emulator.baseUrl)],
    bare: EMULATOR_PATHS,
    stop: () => emulator.stop(),
  };
}
