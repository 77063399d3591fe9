/** What the account is worth, its cash by coin, results, and fees as the exchange charged them. */
import type { LiveAccount } from '../../../../contract/live.ts';
import { EquityChart } from '../../../components/EquityChart.tsx';
import { Unknown } from '../../../components/Unknown.tsx';
import { LiveAmount, LiveFigure } from '../../../components/LiveMark.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { noPriceText } from '../../../format/no-price.ts';
import { formatExact } from '../../../format/numbers.ts';
import { beyondResult } from '../../../format/other-fees.ts';
import { unpricedIn } from '../../../stores/agent-money.ts';
import { nameOf } from '../live-text.ts';
import { TaxLotsButton } from './TaxLotsButton.tsx';
import { ValueChange } from './ValueChange.tsx';

function Coins({
  term,
  list,
}: {
  term: string;
  list: readonly { asset: string; amount: string }[];
}) {
  return (
    <Line term={term}>
      {list.length === 0
        ? 'None'
        : list.map(({ asset, amount }) => (
            <span key={asset} className="block" data-coin={asset}>
              <LiveFigure>{formatExact(amount, 2)}</LiveFigure> {asset}
            </span>
          ))}
    </Line>
  );
}

function Cash({ account: { cash, connection } }: { account: LiveAccount }) {
  return (
    <Section title="Cash and coins" aside="held by no agent">
      <dl>
        {cash.length === 0 && (
          <Line term={connection.reconciledAt === null ? 'Not read yet' : 'None'}>—</Line>
        )}
        {cash.map(({ asset, amount, reserved, heldElsewhere = '0' }) => (
          <Line
            key={asset}
            term={
              <>
                {asset}
                {Number(reserved) !== 0 && (
                  <span className="block text-xs text-ink-3">
                    {formatExact(reserved)} held back for open orders
                  </span>
                )}
                {Number(heldElsewhere) !== 0 && (
                  <span className="block text-xs text-ink-3">
                    {formatExact(heldElsewhere)} held by your own orders at {nameOf(connection)}
                  </span>
                )}
              </>
            }
          >
            <span data-coin={asset}>
              <LiveFigure>{formatExact(amount, 2)}</LiveFigure>
            </span>
          </Line>
        ))}
      </dl>
    </Section>
  );
}

export function AccountMoney({ account }: { account: LiveAccount }) {
  const { quote, unpriced, realized, positions, fees, equityCurve, flows, connection } = account;
  const { curveWithout = [], results = [] } = account;
  const beyond = beyondResult(results.flatMap(({ otherFees = [] }) => otherFees));
  // What the server sums up leaves out positions without a price, as if they had neither won nor lost.
  const bare = unpricedIn(positions);
  // Before the first comparison nothing is known of what is there.
  const value = connection.reconciledAt === null ? null : account.value;
  return (
    <>
      <div>
        <p className="label">Value of the account</p>
        <p className="text-figure font-semibold tracking-[-0.02em]" data-figure="value">
          <LiveAmount
            value={value}
            quote={quote}
            why={`Not compared with ${nameOf(connection)} yet`}
          />
        </p>
        {unpriced.length > 0 && (
          <p className="text-xs text-amber">Without {unpriced.join(', ')}: no price here.</p>
        )}
        {/* Its place is kept until there is a line: what stands below must not move under a finger. */}
        {(equityCurve.length > 1 || connection.state === 'open') && (
          <div className="mt-3">
            <EquityChart
              curve={equityCurve}
              lineName="Value"
              noteOf={(shown, span) => (
                <ValueChange shown={shown} flows={flows ?? null} span={span} />
              )}
              quote={quote}
              // A value without other coins than the line is no point of it.
              now={
                value === null || unpriced.join() !== curveWithout.join()
                  ? undefined
                  : [account.asOf, value]
              }
            />
            {curveWithout.length > 0 && (
              <p className="text-xs text-ink-3">
                The line leaves out {curveWithout.join(', ')}, as long as the account has{' '}
                {curveWithout.length === 1 ? 'it' : 'them'}: no price here.
              </p>
            )}
          </div>
        )}
        <dl className="mt-3">
          <Line term={`Realised, of agents${beyond === '' ? '' : `, before fees in ${beyond}`}`}>
            <LiveAmount value={realized} quote={quote} change />
          </Line>
          <Line term="Unrealised, of agents">
            {bare.length === 0 ? (
              <LiveAmount value={account.unrealized} quote={quote} change />
            ) : (
              <Unknown why={noPriceText(bare)} />
            )}
          </Line>
          <Coins term="Fees charged" list={fees} />
        </dl>
        {account.orders.length > 0 && <TaxLotsButton connection={connection} />}
      </div>
      <Cash account={account} />
    </>
  );
}
