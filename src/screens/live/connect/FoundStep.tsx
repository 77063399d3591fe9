/** What was found of a key: why it is not taken, or what it may do and what the account holds. */
import type { LiveExchange } from '../../../../contract/signer.ts';
import { Button } from '../../../components/Button.tsx';
import { LiveFigure } from '../../../components/LiveMark.tsx';
import { Line } from '../../../components/Section.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { formatExact } from '../../../format/numbers.ts';
import type { CheckedKey } from './checked-key.ts';
import { faultText } from './key-steps.ts';
import { StepHead } from './StepHead.tsx';

function Rejected({
  title,
  exchange,
  report,
  onAgain,
}: {
  title: string;
  exchange: LiveExchange;
  report: CheckedKey['report'];
  onAgain: () => void;
}) {
  return (
    <>
      <StepHead at={title} title="This key was not taken" />
      <div role="alert" className="mb-4 flex flex-col gap-2 border-l-2 border-danger pl-3">
        {report.faults.map((fault) => (
          <p key={fault} className="text-danger">
            {faultText(fault, exchange, report.advice, report.permissions?.missing)}
          </p>
        ))}
      </div>
      <p className="mb-4 text-ink-2">Nothing was kept. What you pasted is gone from this page.</p>
      <Button tone="primary" wide onClick={onAgain}>
        Try another key
      </Button>
    </>
  );
}

const yes = (allowed: boolean): string => (allowed ? 'Yes' : 'No');

function Permissions({
  exchange,
  report,
}: {
  exchange: LiveExchange;
  report: CheckedKey['report'];
}) {
  const { advice, permissions } = report;
  if (permissions === null) return null;
  const { canTrade, canWithdraw, canTransfer, ipRestricted, notSeen = [] } = permissions;
  return (
    <dl className="mb-4" aria-label="Permissions">
      <Line term="May trade">{yes(canTrade)}</Line>
      <Line term="May withdraw">{yes(canWithdraw)}</Line>
      <Line term="May transfer">{yes(canTransfer)}</Line>
      {ipRestricted !== null && (
        <Line term="Limited to known addresses">
          {ipRestricted ? 'Yes' : 'No. Limit it to the signer’s address where you can.'}
        </Line>
      )}
      {notSeen.map((right) => (
        <Line key={right} term={right}>
          {`Not found. Without it no order can be cancelled, and no stop moved. Check it at ${exchangeName(exchange)}, under ${advice.page}.`}
        </Line>
      ))}
    </dl>
  );
}

export function FoundStep({
  title,
  exchange,
  checked: { report, pairs },
  onAgain,
  onNext,
}: {
  title: string;
  exchange: LiveExchange;
  checked: CheckedKey;
  onAgain: () => void;
  onNext: () => void;
}) {
  if (!report.accepted)
    return <Rejected title={title} exchange={exchange} report={report} onAgain={onAgain} />;
  const held = report.balances.filter(({ total }) => Number(total) !== 0);
  return (
    <>
      <StepHead at={title} title={`Found at ${exchangeName(exchange)}`} />
      <Permissions exchange={exchange} report={report} />
      <dl className="live-frame mb-4" aria-label="Balances">
        {held.length === 0 && <Line term="Balances">Nothing in this account yet</Line>}
        {held.map(({ asset, total, available }) => (
          <Line key={asset} term={asset}>
            <LiveFigure>{formatExact(total, 2)}</LiveFigure>
            {available !== total && (
              <span className="block text-xs text-ink-3">{formatExact(available, 2)} free</span>
            )}
          </Line>
        ))}
      </dl>
      <p className="mb-4 text-ink-2">
        {pairs.length === 0
          ? 'No pair can be traded from here now.'
          : `${pairs.length} ${pairs.length === 1 ? 'pair' : 'pairs'} can be traded: ${pairs.slice(0, 8).join(', ')}${pairs.length > 8 ? ' and more' : ''}.`}{' '}
        Agents buy with free cash only and never touch coins you hold yourself.
      </p>
      <div className="flex flex-col gap-2 sm:flex-row-reverse">
        <Button tone="primary" className="sm:flex-1" onClick={onNext}>
          Next: limits
        </Button>
        <Button onClick={onAgain}>Use another key</Button>
      </div>
    </>
  );
}
