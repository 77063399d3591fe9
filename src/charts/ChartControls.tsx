/** Chooses the timeframe and the indicators of the charts. */
import { SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import type { CandleInterval } from '../../contract/market.ts';
import { CHART_INTERVALS } from '../../contract/intervals.ts';
import { classes } from '../components/class-names.ts';
import { Popover } from '../components/Popover.tsx';
import {
  AVERAGE_PERIODS,
  AVERAGES_MAX,
  chartChoices,
  chooseChart,
  RSI_PERIODS,
} from '../stores/chart-choices.ts';

const SPAN: Record<CandleInterval, string> = {
  '1m': 'one minute',
  '5m': 'five minutes',
  '15m': 'fifteen minutes',
  '20m': 'twenty minutes',
  '1h': 'one hour',
  '4h': 'four hours',
  '1d': 'one day, UTC',
};
const BUTTON =
  'inline-flex min-h-11 items-center justify-center rounded-sm text-xs pointer-fine:min-h-8';

/** Why timeframes are missing, in a sentence; null where none is. */
export function missingTimeframes(has: readonly CandleInterval[]): string | null {
  const missing = CHART_INTERVALS.filter((interval) => !has.includes(interval));
  const [finest] = has;
  if (missing.length === 0 || finest === undefined) return null;
  return `No ${missing.join(', ')}: the source has ${finest} candles.`;
}

export function Timeframes({
  interval,
  has,
}: {
  interval: CandleInterval;
  has: readonly CandleInterval[];
}) {
  return (
    <span role="group" aria-label="Timeframe" className="-ml-2 flex">
      {has.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={interval === name}
          title={`Candles of ${SPAN[name]}`}
          onClick={() => {
            void chooseChart({ interval: name });
          }}
          className={classes(
            BUTTON,
            'min-w-9 px-1.5',
            interval === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink',
          )}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

interface RowProps {
  name: string;
  about: string;
  periods: readonly number[];
  chosen: readonly number[];
  full?: boolean;
  onChoose: (periods: number[]) => void;
}

function Periods({ name, about, periods, chosen, full = false, onChoose }: RowProps) {
  return (
    <Row name={name} about={about}>
      {periods.map((period) => {
        const on = chosen.includes(period);
        return (
          <button
            key={period}
            type="button"
            aria-pressed={on}
            disabled={full && !on}
            aria-label={`${name} ${period}`}
            onClick={() => {
              onChoose(
                on
                  ? chosen.filter((one) => one !== period)
                  : periods.filter((one) => one === period || chosen.includes(one)),
              );
            }}
            className={classes(
              BUTTON,
              'min-w-9 px-1 disabled:opacity-40',
              on ? 'bg-accent-wash font-semibold text-accent' : 'text-ink-2 hover:text-ink',
            )}
          >
            {period}
          </button>
        );
      })}
    </Row>
  );
}

function Row({ name, about, children }: { name: string; about: string; children: ReactNode }) {
  return (
    <div className="flex items-center" role="group" aria-label={about} title={about}>
      <span aria-hidden className="w-14 shrink-0 pl-1 text-xs text-ink-3">
        {name}
      </span>
      {children}
    </div>
  );
}

function VolumeSwitch({ on }: { on: boolean }) {
  return (
    <Row name="Volume" about="Volume of each candle">
      <button
        type="button"
        aria-pressed={on}
        aria-label="Volume"
        onClick={() => {
          void chooseChart({ volume: !on });
        }}
        className={classes(
          BUTTON,
          'min-w-9 px-2',
          on ? 'bg-accent-wash font-semibold text-accent' : 'text-ink-2 hover:text-ink',
        )}
      >
        {on ? 'On' : 'Off'}
      </button>
    </Row>
  );
}

/** Chooses the indicators, up to the number of lines that can be told apart. */
export function Indicators() {
  const { sma, ema, rsi, volume } = useSnapshot(chartChoices);
  const count = sma.length + ema.length;
  const full = count >= AVERAGES_MAX;
  return (
    <Popover
      buttonLabel="Indicators"
      button={
        <>
          <SlidersHorizontal className="size-3.5" aria-hidden />
          Indicators
        </>
      }
      buttonClass={classes(BUTTON, 'gap-1.5 px-2 text-ink-2 hover:text-ink')}
    >
      {() => (
        <>
          <Periods
            name="SMA"
            about="Simple moving average of closes"
            periods={AVERAGE_PERIODS}
            chosen={sma}
            full={full}
            onChoose={(periods) => {
              void chooseChart({ sma: periods });
            }}
          />
          <Periods
            name="EMA"
            about="Exponential moving average of closes"
            periods={AVERAGE_PERIODS}
            chosen={ema}
            full={full}
            onChoose={(periods) => {
              void chooseChart({ ema: periods });
            }}
          />
          <Periods
            name="RSI"
            about="Relative strength index after Wilder"
            periods={RSI_PERIODS}
            chosen={rsi === null ? [] : [rsi]}
            onChoose={(periods) => {
              void chooseChart({ rsi: periods.find((one) => one !== rsi) ?? null });
            }}
          />
          <VolumeSwitch on={volume} />
          <p className="px-1 pt-1 text-xs text-ink-3">
            {full ? `Up to ${AVERAGES_MAX} averages.` : 'Periods are in candles.'}
          </p>
        </>
      )}
    </Popover>
  );
}
