/**
 * A wallet as an extension puts it into a page, with a chain's own node behind it that signs;
 * refuses to be more than EIP-1193 asks of one.
 */

export interface InjectedWalletOptions {
  /** The node that signs and answers. */
  url: string;
  accounts: readonly string[];
  chainId: number;
  /** Chains that the wallet knows; the present one belongs to it. */
  known: readonly number[];
  /** By which mark pages tell it from others. */
  mark: 'isRabby' | 'isTrust' | 'isTrustWallet' | 'isFrame';
  /**
   * Whether it takes its permission back when a page asks for that; else it says that it cannot.
   */
  revokes?: boolean;
}

export interface InjectedWallet {
  /** Everything it was asked, oldest first. */
  calls: { method: string; params: unknown }[];
  /** The person's next answer to this is no. */
  refuse(method: string): void;
  /** The next answer to this is an error of the wallet's own. */
  fail(method: string, code: number, message: string): void;
  /** The next answer to this is that, whatever it should be. */
  give(method: string, answer: unknown): void;
  /** The next of these is not answered until it is let go. */
  hold(method: string): () => void;
  /** Adds a chain when it is asked to, and stays where it is. */
  addsWithoutSwitching(on: boolean): void;
  setAccounts(accounts: readonly string[]): void;
  emit(event: string, ...values: unknown[]): void;
  /** Until when it says who is there: what an extension keeps beside the page. */
  forget(): void;
}

interface Listener {
  (...values: unknown[]): void;
}

/** Self-contained: it is handed to a browser as text. */
export function injectWallet(options: InjectedWalletOptions): InjectedWallet {
  const KEPT = 'the-extension-s-own';
  const page = globalThis as unknown as {
    ethereum?: unknown;
    testWallet?: InjectedWallet;
    localStorage: Storage;
  };
  const listeners = new Map<string, Set<Listener>>();
  const faults = new Map<string, { code: number; message: string }>();
  const given = new Map<string, unknown>();
  const held = new Map<string, Promise<void>>();
  const known = new Set(options.known);
  let { accounts, chainId } = options;
  let switches = true;
  const calls: InjectedWallet['calls'] = [];
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const fault = (code: number, message: string): Error =>
    Object.assign(new Error(message), { code });
  const emit = (event: string, ...values: unknown[]): void => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...values);
  };
  const permitted = (): boolean => page.localStorage.getItem(KEPT) === 'yes';
  const permit = (): readonly string[] => {
    page.localStorage.setItem(KEPT, 'yes');
    return accounts;
  };
  const goTo = (id: number): null => {
    chainId = id;
    emit('chainChanged', hex(id));
    return null;
  };

  const forward = async (method: string, params: unknown): Promise<unknown> => {
    const reply = await fetch(options.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
    });
    const { error, result } = (await reply.json()) as {
      error?: { code: number; message: string };
      result?: unknown;
    };
    if (error !== undefined) throw Object.assign(fault(error.code, error.message), error);
    return result;
  };

  const answer = (method: string, params: unknown): unknown => {
    const wanted = Number((params as { chainId?: string }[] | undefined)?.[0]?.chainId);
    switch (method) {
      case 'eth_requestAccounts':
        return permit();
      case 'wallet_requestPermissions':
        return [
          {
            parentCapability: 'eth_accounts',
            caveats: [{ type: 'restrictReturnedAccounts', value: permit() }],
          },
        ];
      case 'wallet_revokePermissions':
        if (options.revokes !== true) throw fault(4200, 'The wallet does not support this');
        page.localStorage.removeItem(KEPT);
        return null;
      case 'eth_accounts':
        return permitted() ? accounts : [];
      case 'eth_chainId':
        return hex(chainId);
      case 'wallet_switchEthereumChain':
        if (!known.has(wanted)) throw fault(4902, `Unrecognized chain ID "${hex(wanted)}"`);
        return goTo(wanted);
      case 'wallet_addEthereumChain':
        known.add(wanted);
        return switches ? goTo(wanted) : null;
      default:
        return forward(method, params);
    }
  };

  const provider = {
    [options.mark]: true,
    async request({ method, params }: { method: string; params?: unknown }) {
      calls.push({ method, params });
      const told = faults.get(method);
      faults.delete(method);
      await held.get(method);
      if (told !== undefined) throw fault(told.code, told.message);
      if (given.has(method)) {
        const made = given.get(method);
        given.delete(method);
        return made;
      }
      return answer(method, params);
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
    },
  };
  page.ethereum = provider;
  const wallet: InjectedWallet = {
    calls,
    emit,
    refuse(method) {
      faults.set(method, { code: 4001, message: 'User rejected the request.' });
    },
    fail(method, code, message) {
      faults.set(method, { code, message });
    },
    give(method, made) {
      given.set(method, made);
    },
    hold(method) {
      let letGo: () => void = () => undefined;
      held.set(
        method,
        new Promise((resolve) => {
          letGo = () => {
            held.delete(method);
            resolve();
          };
        }),
      );
      return letGo;
    },
    addsWithoutSwitching(on) {
      switches = !on;
    },
    setAccounts(next) {
      accounts = next;
      emit('accountsChanged', next);
    },
    forget() {
      page.localStorage.removeItem(KEPT);
    },
  };
  page.testWallet = wallet;
  return wallet;
}
