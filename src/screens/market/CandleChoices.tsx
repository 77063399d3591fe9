/** How long a candle lasts, and which averages are drawn over them; refuses to name an average without what it is taken over. */
import type { CandleInterval } from '../../../contract/market.ts';
import { classes } from '../../components/class-names.ts';

const INTERVALS: readonly CandleInterval[] = ['5m', '20m', '1h', '1d'];
const PERIODS = [20, 50] as const;
const SPAN: Record<CandleInterval, string> = { '5m': 'five minutes', '20m': 'twenty minutes', '1h': 'an hour', '1d': 'a day' };
const TONE = ['bg-accent', 'bg-amber'] as const;

interface ChoiceProps { interval: CandleInterval; onInterval: (interval: CandleInterval) => void; averages: readonly number[]; onAverages: (periods: readonly number[]) => void }

export function CandleChoices({ interval, onInterval, averages, onAverages }: ChoiceProps) {
  const button = 'inline-flex min-h-11 min-w-10 items-center justify-center gap-1.5 rounded-sm px-2 text-xs pointer-fine:min-h-8';
  return (
    <>
      <span role="group" aria-label="Length of a candle" className="-ml-2 flex">
        {INTERVALS.map((name) => <button key={name} type="button" aria-pressed={interval === name} title={`A candle lasts ${SPAN[name]}`} onClick={() => { onInterval(name); }} className={classes(button, interval === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink')}>{name}</button>)}
      </span>
      <span role="group" aria-label="Averages" className="flex">
        {PERIODS.map((period, place) => {
          const on = averages.includes(period);
          return <button key={period} type="button" aria-pressed={on} title={`Exponential average of ${period} closes, over ${period} candles of ${SPAN[interval]}`} onClick={() => { onAverages(on ? averages.filter((one) => one !== period) : PERIODS.filter((one) => one === period || averages.includes(one))); }} className={classes(button, on ? 'font-medium text-ink' : 'text-ink-3 hover:text-ink')}><span aria-hidden className={classes('h-0.5 w-3 rounded-full', on ? TONE[place] : 'bg-line')} />EMA {period}</button>;
        })}
      </span>
    </>
  );
}

