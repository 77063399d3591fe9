/** The accounts at the stand-in: sub-accounts with balances and holds, and the keys that reach them. */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { ZERO, add, parseFixed, subtract, type Fixed } from '../../../contract/money.ts';
import type { DialectName } from './instruments.ts';
import type { Journal, MovementCause } from './journal.ts';

export interface KeyPermissions {
  read: boolean;
  trade: boolean;
  withdraw: boolean;
  transfer: boolean;
  /** Only from listed addresses. */
  ipRestricted: boolean;
}

export interface ApiKey {
  apiKey: string;
  /** As a client is given it. */
  secret: string;
  /** The public half, where the exchange signs with a key pair. */
  publicKey: KeyObject | null;
  account: string;
  permissions: KeyPermissions;
  revoked: boolean;
  lastNonce: bigint;
}

export interface AccountOptions {
  name: string;
  /** Plain decimal text by coin. */
  balances?: Record<string, string>;
  permissions?: Partial<KeyPermissions>;
  /** The exchange's id of the portfolio or sub-account. */
  subAccountId?: string;
}

const TRADING: KeyPermissions = {
  read: true,
  trade: true,
  withdraw: false,
  transfer: false,
  ipRestricted: false,
};

export class Account {
  private readonly totals = new Map<string, Fixed>();
  private readonly holds = new Map<string, Fixed>();

  constructor(
    readonly name: string,
    readonly subAccountId: string,
    private readonly journal: Journal,
  ) {}

  get coins(): string[] {
    return [...this.totals.keys()];
  }

  total(coin: string): Fixed {
    return this.totals.get(coin) ?? ZERO;
  }

  held(coin: string): Fixed {
    return this.holds.get(coin) ?? ZERO;
  }

  free(coin: string): Fixed {
    return subtract(this.total(coin), this.held(coin));
  }

  hold(coin: string, amount: Fixed): void {
    this.holds.set(coin, add(this.held(coin), amount));
  }

  release(coin: string, amount: Fixed): void {
    const left = subtract(this.held(coin), amount);
    if (left < 0n) throw new Error(`${this.name} holds less ${coin} than is released`);
    this.holds.set(coin, left);
  }

  move(coin: string, amount: Fixed, cause: MovementCause, ref: string): void {
    const after = add(this.total(coin), amount);
    if (after < 0n) throw new Error(`${this.name} would have less than no ${coin} (${cause})`);
    this.totals.set(coin, after);
    this.journal.write({ kind: 'movement', account: this.name, coin, amount, cause, ref });
  }
}

export class Accounts {
  private readonly byName = new Map<string, Account>();
  private readonly keys = new Map<string, ApiKey>();

  constructor(
    private readonly dialect: DialectName,
    private readonly journal: Journal,
    private readonly nextUuid: () => string,
  ) {}

  open(options: AccountOptions): Account {
    const account = new Account(
      options.name,
      options.subAccountId ?? this.nextUuid(),
      this.journal,
    );
    this.byName.set(options.name, account);
    for (const [coin, amount] of Object.entries(options.balances ?? {}))
      account.move(coin, parseFixed(amount), 'deposit', 'opening');
    return account;
  }

  get(name: string): Account {
    const account = this.byName.get(name);
    if (account === undefined) throw new RangeError(`No account ${name}`);
    return account;
  }

  get all(): Account[] {
    return [...this.byName.values()];
  }

  /** A new key for an account. Secrets are made at run time, never written down. */
  issueKey(account: string, permissions: Partial<KeyPermissions> = {}): ApiKey {
    const pair =
      this.dialect === 'coinbase' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : null;
    const key: ApiKey = {
      apiKey:
        this.dialect === 'coinbase'
          ? `organizations/${this.nextUuid()}/apiKeys/${this.nextUuid()}`
          : randomBytes(42).toString('base64url'),
      secret:
        pair === null
          ? randomBytes(64).toString('base64')
          : pair.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      publicKey: pair?.publicKey ?? null,
      account,
      permissions: { ...TRADING, ...permissions },
      revoked: false,
      lastNonce: 0n,
    };
    this.keys.set(key.apiKey, key);
    return key;
  }

  /** A key that another stand-in of the same exchange has issued: the same account, later. */
  takeKey(key: ApiKey): void {
    this.keys.set(key.apiKey, { ...key });
  }

  key(apiKey: string): ApiKey | null {
    return this.keys.get(apiKey) ?? null;
  }

  keysOf(account: string): ApiKey[] {
    return [...this.keys.values()].filter((key) => key.account === account);
  }

  revoke(apiKey: string): void {
    const key = this.keys.get(apiKey);
    if (key === undefined) return;
    key.revoked = true;
    this.journal.write({ kind: 'key', apiKey, what: 'revoked' });
  }

  /** The same key from now on reaches another sub-account. */
  moveKey(apiKey: string, account: string): void {
    const key = this.keys.get(apiKey);
    if (key === undefined) return;
    key.account = account;
    this.journal.write({ kind: 'key', apiKey, what: 'moved' });
  }
}
