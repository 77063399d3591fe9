/** Exports gains by tax lot, with the sums and how they differ from the portfolio's. */
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { OtherFee } from '../../../contract/agents.ts';
import type { TaxSums } from '../../../contract/tax.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, SkeletonRows } from '../../components/EmptyState.tsx';
import { Select } from '../../components/Field.tsx';
import { Amount } from '../../components/Figures.tsx';
import { HowCalculated } from '../../components/HowCalculated.tsx';
import { LiveAmount, LiveFigure, LiveFrame } from '../../components/LiveMark.tsx';
import { LiveTag } from '../../components/LiveTag.tsx';
import { Line } from '../../components/Section.tsx';
import { Switch } from '../../components/Switch.tsx';
import { PaperTag } from '../../components/Tags.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { formatExact, formatNumber, formatQuantity } from '../../format/numbers.ts';
import { beyondResult, feesIn } from '../../format/other-fees.ts';
import { connection } from '../../stores/connection.ts';
import { equation, less, sumOf } from '../explain/equation.ts';
import { Sum } from '../explain/Sum.tsx';
import { fullNameOf, nameOf } from '../live/live-text.ts';
import { download } from '../portfolio/csv.ts';
import {
  readRows,
  readTaxLots,
  taxCsv,
  taxFileName,
  type TaxAccount,
  type TaxAsk,
  type TaxReport,
} from './tax-file.ts';

const ALL = 'all';
const lotsText = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'lot' : 'lots'}`;

/**
 * What lies between the two ways of counting, of open positions; of an exchange account also of coins
 * that were given over, whose lots the report has one by one.
 */
function apart(found: TaxReport): { label: string; value: string } {
  const ways = 'average cost minus FIFO cost';
  if ('live' in found)
    return {
      label: `Open positions and coins given over: ${ways}`,
      value: sumOf([found.realized, less(found.all.gain)]),
    };
  return {
    label: `Open positions: ${ways}`,
    value: sumOf(found.held.flatMap(({ averageCost, basis }) => [averageCost, less(basis)])),
  };
}

/** Fees in a third coin have no price here and are in no amount. */
const beforeFees = ({ otherFees }: TaxSums): string => {
  const beyond = beyondResult(otherFees);
  return beyond === '' ? '' : `, before fees in ${beyond}`;
};

/** From the file's gain to the realised result on the screens. */
function meeting(found: TaxReport, year: number | null) {
  return equation(
    'Gain and realised result',
    [
      {
        key: 'gain',
        label: year === null ? 'Gain of these lots' : `Gain of ${year}`,
        value: found.sums.gain,
        change: true,
      },
      ...(year === null
        ? []
        : [
            {
              key: 'others',
              label: 'Gain of other years',
              value: sumOf([found.all.gain, less(found.sums.gain)]),
              change: true,
            },
          ]),
      { key: 'held', ...apart(found), change: true },
    ],
    {
      label:
        'live' in found
          ? `Realised, of agents${beforeFees(found.all)}`
          : 'Realised in the portfolio',
      value: found.realized,
      change: true,
    },
  );
}

function CoinFees({ list }: { list: readonly OtherFee[] }) {
  return list.map(({ asset, amount }) => (
    <span key={asset} className="block">
      <LiveFigure>{formatExact(amount)}</LiveFigure> {asset}
    </span>
  ));
}

function Sold({ found, year }: { found: TaxReport; year: number | null }) {
  const { sums, quote } = found;
  const { otherFees } = sums;
  const Money = 'live' in found ? LiveAmount : Amount;
  const before = beforeFees(sums);
  const included = feesIn(otherFees, true);
  const beyond = feesIn(otherFees, false);
  return (
    <dl aria-label={year === null ? 'Sold in all years' : `Sold in ${year}`}>
      <Line term="Sold">{lotsText(sums.lots)}</Line>
      <Line term={before === '' ? 'Proceeds after fees' : `Proceeds${before}`}>
        <Money value={sums.proceeds} quote={quote} />
      </Line>
      <Line term={before === '' ? 'Cost basis, fees included' : `Cost basis${before}`}>
        <Money value={sums.basis} />
      </Line>
      <Line term={<strong className="text-ink">= Gain{before}</strong>}>
        <strong>
          <Money value={sums.gain} change quote={quote} />
        </strong>
      </Line>
      <Line term="Fees, already included">
        <Money value={sums.fees} {...(included.length === 0 ? {} : { quote })} />
        <CoinFees list={included} />
      </Line>
      {beyond.length > 0 && (
        <Line term="Fees not included">
          <CoinFees list={beyond} />
        </Line>
      )}
    </dl>
  );
}

function OpenLots({ found, held }: { found: TaxReport; held: boolean }) {
  const Money = 'live' in found ? LiveAmount : Amount;
  return (
    <>
      <h3 className="mt-4 text-sm font-semibold">
        Open lots{held ? ', in the file without a sale' : ', not in the file'}
      </h3>
      {found.held.length === 0 ? (
        <p className="rule py-2 text-ink-3">None. All lots are sold.</p>
      ) : (
        <dl>
          {found.held.map((one) => (
            <Line
              key={one.pair}
              term={
                <>
                  {formatQuantity(one.quantity)} {one.pair.split('/')[0]}
                  <span className="block text-xs text-ink-3">{lotsText(one.lots)}, cost basis</span>
                </>
              }
            >
              <Money value={one.basis} />
            </Line>
          ))}
        </dl>
      )}
    </>
  );
}

function HowLive({ found }: { found: Extract<TaxReport, { live: true }> }) {
  const exchange = nameOf(found);
  return (
    <HowCalculated>
      <p>
        An agent&apos;s result counts the cost of a sale at the agent&apos;s average cost. This file
        counts it at the oldest purchase of the account by an agent (FIFO). Years and times are UTC.
      </p>
      <p>
        Your own trades and transfers at {exchange} are not in it. Coins that an agent gave over to
        you, because they were written off or too little to sell, are listed without proceeds and
        gain. What was sold beyond what agents had bought has no cost.
      </p>
      {found.all.otherFees !== undefined && (
        <p>
          Fees in the coin traded are in the quantity of a lot; the file also lists them as
          asset_fees. Fees in a third coin have no price here and are in no amount; the file lists
          them as other_fees.
        </p>
      )}
    </HowCalculated>
  );
}

function HowPaper() {
  return (
    <HowCalculated>
      <p>
        The portfolio counts the cost of a sale at the agent's average cost. This file counts it at
        the oldest purchase of the account (FIFO). The two differ by open positions only. Years and
        times are UTC, on the market's clock.
      </p>
    </HowCalculated>
  );
}

function Figures({ found, year, held }: { found: TaxReport; year: number | null; held: boolean }) {
  const figures = (
    <>
      <Sold found={found} year={year} />
      <OpenLots found={found} held={held} />
      <div className="mt-4">
        <Sum equation={meeting(found, year)} quote={found.quote} />
      </div>
      {'live' in found ? <HowLive found={found} /> : <HowPaper />}
      <p className="text-xs text-ink-3">
        {'live' in found ? 'No tax advice.' : 'Paper money and no tax advice.'} Ask your tax office
        which method applies to you.
      </p>
    </>
  );
  return 'live' in found ? <LiveFrame>{figures}</LiveFrame> : figures;
}

/** Loads the lots; a newer request cancels the one before. */
function useTaxLots(
  ask: TaxAsk,
  online: boolean,
): { found: TaxReport | null; error: string | null; again: () => void } {
  const [state, setState] = useState<{
    key: string;
    found: TaxReport | null;
    error: string | null;
  }>({
    key: '',
    found: null,
    error: null,
  });
  const [tries, setTries] = useState(0);
  const key = JSON.stringify(ask);
  useEffect(() => {
    if (!online) return undefined;
    const control = new AbortController();
    readTaxLots(JSON.parse(key) as TaxAsk, control.signal).then(
      (found) => {
        setState({ key, found, error: null });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setState({ key, found: null, error: errorSentence(error) });
      },
    );
    return () => {
      control.abort();
    };
  }, [key, online, tries]);
  return {
    found: state.key === key ? state.found : null,
    error: state.key === key ? state.error : null,
    again: () => {
      setTries(tries + 1);
    },
  };
}

/** Loads every row and saves the file; its message disappears when the choice changes. */
function useSaveFile(ask: TaxAsk, found: TaxReport | null) {
  const [saving, setSaving] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      stop.current?.abort();
    },
    [],
  );
  useEffect(() => {
    setMessage('');
    setFault(null);
  }, [found]);

  const save = async (first: TaxReport): Promise<void> => {
    const ours = new AbortController();
    stop.current = ours;
    setSaving('Loading…');
    setFault(null);
    try {
      const rows = await readRows(ask, first, ours.signal, (count) => {
        setSaving(`Loading ${lotsText(count)} of ${formatNumber(first.total)}`);
      });
      download(taxFileName(ask, first), taxCsv(rows, first));
      setMessage(`${lotsText(rows.length)} saved by your browser.`);
    } catch (failure) {
      if (ours.signal.aborted) return;
      setFault(`${errorSentence(failure)} No file was created.`);
    }
    setSaving(null);
  };
  return { saving, message, fault, save };
}

type SaveFile = ReturnType<typeof useSaveFile>;

function SaveActions({
  file: { saving, message, save },
  found,
  offline,
}: {
  file: SaveFile;
  found: TaxReport | null;
  offline: boolean;
}) {
  return (
    <>
      <span
        className="mr-auto self-center text-xs text-ink-3"
        role={saving === null ? 'status' : undefined}
      >
        {saving ?? message}
      </span>
      <Button
        tone="primary"
        busy={saving !== null}
        disabled={found === null || found.total === 0 || offline}
        onClick={() => {
          if (found !== null) void save(found);
        }}
      >
        Save CSV
      </Button>
    </>
  );
}

function LotsChoice({
  ask: { year, held },
  years,
  disabled,
  onYear,
  onHeld,
}: {
  ask: TaxAsk;
  years: readonly number[];
  disabled: boolean;
  onYear: (year: number | null) => void;
  onHeld: (held: boolean) => void;
}) {
  return (
    <>
      <Select
        label="Year of sale"
        value={year === null ? ALL : String(year)}
        disabled={disabled}
        onChange={(event) => {
          onYear(event.target.value === ALL ? null : Number(event.target.value));
        }}
        options={[
          { value: ALL, label: 'All years' },
          ...years.map((one) => ({
            value: String(one),
            label: `${one}, UTC`,
          })),
        ]}
      />
      <div className="mt-2">
        <Switch
          label="Include open lots"
          hint="Added at the end, without a sale."
          checked={held}
          disabled={disabled}
          onChange={onHeld}
        />
      </div>
    </>
  );
}

/** Shown in place of the sums until they are loaded. */
function NoLots({
  isLive,
  offline,
  error,
  onAgain,
}: {
  isLive: boolean;
  offline: boolean;
  error: string | null;
  onAgain: () => void;
}) {
  if (offline)
    return (
      <EmptyState title="You're offline">
        Tax lots need all trades, and this device stores only the newest.
        {!isLive && ' You can save those with CSV above the list of trades.'}
      </EmptyState>
    );
  if (error === null) return <SkeletonRows rows={7} label="Sums" />;
  return (
    <EmptyState
      title="Could not load tax lots"
      action={
        <Button size="sm" onClick={onAgain}>
          Try again
        </Button>
      }
    >
      {error}
    </EmptyState>
  );
}

const FIFO = 'FIFO: one row for each part of a purchase that was sold.';

export default function TaxExport({
  account,
  where,
  onClose,
}: {
  account: TaxAccount;
  /** The exchange account's name; none of paper. */
  where?: Parameters<typeof fullNameOf>[0];
  onClose: () => void;
}) {
  const { online } = useSnapshot(connection);
  const offline = online === 'offline';
  const [year, setYear] = useState<number | null>(null);
  const [held, setHeld] = useState(false);
  const ask: TaxAsk = { account, year, held };
  const { found, error, again } = useTaxLots(ask, !offline);
  const [years, setYears] = useState<readonly number[]>([]);
  useEffect(() => {
    if (found !== null) setYears(found.years);
  }, [found]);
  const file = useSaveFile(ask, found);
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="Tax lots"
      description={
        <span className="flex flex-wrap items-center gap-x-2">
          {FIFO}
          {where === undefined ? (
            <PaperTag />
          ) : (
            <span className="flex items-center gap-x-2">
              <LiveTag where={fullNameOf(where)} />
              {fullNameOf(where)}
            </span>
          )}
        </span>
      }
      actions={<SaveActions file={file} found={found} offline={offline} />}
    >
      {(found !== null || !offline) && (
        <LotsChoice
          ask={ask}
          years={found?.years ?? years}
          disabled={file.saving !== null}
          onYear={setYear}
          onHeld={setHeld}
        />
      )}
      {file.fault !== null && (
        <p role="alert" className="py-2 text-danger">
          {file.fault}
        </p>
      )}
      {found !== null && (
        <div className="mt-2">
          <Figures found={found} year={year} held={held} />
        </div>
      )}
      {found === null && (
        <NoLots isLive={where !== undefined} offline={offline} error={error} onAgain={again} />
      )}
    </Dialog>
  );
}
