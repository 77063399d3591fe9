/** What the build makes of the wallet kit. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { heldToKit, walletChunkName, withoutFontImports } from '../../scripts/wallet-kit.ts';

const sheet = readFileSync('node_modules/@coinbase/onchainkit/dist/styles.css', 'utf8');

describe("the kit's stylesheet", () => {
  it('fetches nothing from anybody', () => {
    expect(sheet).toContain('fonts.googleapis.com');
    expect(withoutFontImports(sheet)).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
    expect(
      withoutFontImports(
        '@import url("https://x.example/a;b");.a{color:red}@import \'https://y.example\' screen;.b{}',
      ),
    ).toBe('.a{color:red}.b{}');
  });

  it("is held to the kit's own elements, all of it but its key frames", () => {
    const held = heldToKit(withoutFontImports(sheet));
    const open = held.indexOf('@layer base{@scope (');
    expect(held.slice(0, open)).toMatch(/^(@keyframes [a-z-]+\{.*?\}\}){4}$/);
    expect(held.slice(open)).not.toContain('@keyframes');
    expect(held.endsWith('}}')).toBe(true);
    // The same number of braces both ways: nothing was cut in two.
    expect(held.split('{').length).toBe(held.split('}').length);
    expect(held.slice(open, open + 400)).toContain('.wallet-kit');
  });
});

describe("a chunk's name", () => {
  const named = (...moduleIds: string[]) => walletChunkName({ name: 'x', moduleIds });

  it('says that only the wallet needs it, which keeps it out of what is stored for offline use', () => {
    expect(named('/app/node_modules/wagmi/dist/index.js')).toBe('assets/wallet-[name]-[hash].js');
    expect(named('/app/src/wallet/fund/FundPanel.tsx')).toBe('assets/wallet-[name]-[hash].js');
    expect(named('/app/node_modules/wagmi/dist/index.js', '/app/node_modules/react/index.js')).toBe(
      'assets/[name]-[hash].js',
    );
    expect(named('/app/src/wallet/connect/remembered-wallet.ts')).toBe('assets/[name]-[hash].js');
    expect(named('/app/src/screens/market/MarketScreen.tsx')).toBe('assets/[name]-[hash].js');
  });
});
