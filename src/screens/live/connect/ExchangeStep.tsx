/** Chooses the exchange. */
import { LIVE_EXCHANGES } from '../../../../contract/exchanges.ts';
import type { LiveExchange } from '../../../../contract/signer.ts';
import { Button } from '../../../components/Button.tsx';
import { classes } from '../../../components/class-names.ts';
import { exchangeName } from '../../../format/exchange-names.ts';
import { StepHead } from './StepHead.tsx';

const LINE: Readonly<Record<LiveExchange, string>> = {
  kraken: 'Spot. Stop losses rest at Kraken.',
  coinbase: 'Coinbase Advanced, spot. Stop losses rest at Coinbase.',
  binance: 'Spot. Stop losses rest at Binance.',
};

export function ExchangeStep({
  title,
  exchange,
  onChoose,
  onNext,
}: {
  title: string;
  exchange: LiveExchange;
  onChoose: (exchange: LiveExchange) => void;
  onNext: () => void;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <StepHead at={title} title="Exchange" />
      <fieldset>
        <legend className="sr-only">Exchange</legend>
        {LIVE_EXCHANGES.map((one) => (
          <label
            key={one}
            className={classes(
              'rule flex min-h-14 items-center gap-3 py-2',
              one === exchange && 'font-medium',
            )}
          >
            <input
              type="radio"
              name="exchange"
              value={one}
              checked={one === exchange}
              className="size-5"
              onChange={() => {
                onChoose(one);
              }}
            />
            <span>
              {exchangeName(one)}
              <span className="block text-xs font-normal text-ink-3">{LINE[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Button type="submit" tone="primary" wide className="mt-4">
        Next: create a key
      </Button>
    </form>
  );
}
