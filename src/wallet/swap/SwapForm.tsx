/** What the kit's card shows, with a button that sells only at the price shown. */
import {
  SwapAmountInput,
  SwapButton,
  SwapMessage,
  SwapSettings,
  SwapToast,
  SwapToggleButton,
} from '@coinbase/onchainkit/swap';
import type { Token } from '@coinbase/onchainkit/token';
import { base } from 'wagmi/chains';
import { useKeptBundle } from './use-kept-bundle.ts';
import { useOneSwap } from './use-one-swap.ts';
import { usePrice, type ShownPrice } from './use-price.ts';

/** No pictures: they would be fetched from somebody else. */
const ETHER: Token = {
  name: 'Ether',
  symbol: 'ETH',
  address: '',
  chainId: base.id,
  decimals: 18,
  image: null,
};
const USDC: Token = {
  name: 'USD Coin',
  symbol: 'USDC',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  chainId: base.id,
  decimals: 6,
  image: null,
};
const SOLD = [ETHER, USDC];
const BOUGHT = [USDC, ETHER];

function priceText({ isForeign, isOld }: ShownPrice): string | null {
  if (isForeign) return 'This price is for another amount. Enter the amount again.';
  return isOld ? 'This price is a minute old. Enter the amount again.' : null;
}

export function SwapForm({
  hindered,
  isRunning,
}: {
  hindered: boolean;
  /** A swap is: nothing is said of its price. */
  isRunning: boolean;
}) {
  const price = usePrice();
  const { isShut, press } = useOneSwap(isRunning);
  useKeptBundle(isRunning);
  const said = isShut ? null : priceText(price);
  return (
    <>
      <fieldset disabled={isShut} className="contents">
        <SwapSettings />
        <SwapAmountInput label="Sell" swappableTokens={SOLD} token={ETHER} type="from" />
        <SwapToggleButton />
        <SwapAmountInput label="Buy" swappableTokens={BOUGHT} token={USDC} type="to" />
        <div onClickCapture={press}>
          <SwapButton disabled={hindered || isShut || !price.isPriced || price.isOld} />
        </div>
      </fieldset>
      <SwapMessage />
      <SwapToast />
      {said !== null && (
        <p role="status" className="mt-2 text-amber">
          {said}
        </p>
      )}
    </>
  );
}
