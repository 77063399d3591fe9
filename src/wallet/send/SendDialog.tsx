/**
 * The confirmation before the wallet is asked to send: amount, recipient and cost, confirmed by a
 * long press.
 */
import { useQuery } from '@tanstack/react-query';
import { getCode } from 'viem/actions';
import { useConfig } from 'wagmi';
import { base } from 'wagmi/chains';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Line } from '../../components/Section.tsx';
import { formatWhen } from '../../format/times.ts';
import { costEther, exactEther, heldEther } from './ether.ts';
import { CoinsTag } from '../PanelHead.tsx';
import type { SendFees } from './send-fees.ts';
import { stageOf, type Send } from './sends-store.ts';

/** What is sent, exactly as it was looked over. */
export interface Reviewed {
  to: `0x${string}`;
  isOwn: boolean;
  wei: bigint;
  fees: SendFees;
  balanceWei: bigint | null;
}

/** A person's account that is lent some code for a while is no contract. */
const LENT_CODE = '0xef0100';

function useIsContract(chainId: 8453 | 84532, address: `0x${string}`): boolean {
  const config = useConfig();
  const { data } = useQuery({
    queryKey: ['has-code', chainId, address],
    retry: false,
    queryFn: async () => (await getCode(config.getClient({ chainId }), { address })) ?? '0x',
  });
  return data !== undefined && data !== '0x' && !data.startsWith(LENT_CODE);
}

/** The chain takes the same transfer twice without a word, so the page has one. */
function EarlierNote({ earlier }: { earlier: Send }) {
  const stage = stageOf(earlier);
  const known =
    stage === 'sent' || stage === 'unseen' ? 'it is not confirmed yet' : 'its outcome is not known';
  return (
    <p role="status" className="mt-3 text-amber">
      You asked for this same transfer at {formatWhen(earlier.askedAt)}, and {known}. This would be
      a second one.
    </p>
  );
}

export interface SendDialogProps {
  chain: { id: 8453 | 84532; name: string };
  isSmart: boolean;
  reviewed: Reviewed;
  /** The same transfer, asked for before and not settled. */
  earlier: Send | null;
  onClose: () => void;
  onSend: (order: Reviewed) => void;
}

export function SendDialog({
  chain,
  earlier,
  isSmart,
  onClose,
  onSend,
  reviewed,
}: SendDialogProps) {
  const { balanceWei, fees, isOwn, to, wei } = reviewed;
  const isContract = useIsContract(chain.id, to);
  const amount = exactEther(wei);
  const left = balanceWei === null ? null : balanceWei - wei - fees.feeWei;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Send ${amount} ETH`}
      description="Transfers cannot be reversed. Compare the whole address, not only its ends."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <HoldToConfirm
            label="Send"
            tone="primary"
            sentence={`Sends ${amount} ETH on ${chain.name} to ${to}. This cannot be reversed.`}
            onConfirm={() => {
              onSend(reviewed);
            }}
          />
        </>
      }
    >
      <dl>
        <Line term="Amount">
          <span className="font-medium break-all">{amount} ETH</span>
        </Line>
        <Line term="To">
          <span className="font-mono text-sm break-all">{to}</span>
        </Line>
        <Line term="Network">
          <span className="inline-flex flex-wrap items-center justify-end gap-2">
            {chain.name} <CoinsTag real={chain.id === base.id} />
          </span>
        </Line>
        <Line term="Network fee">
          at most {costEther(fees.feeWei)} ETH{isSmart ? '; your wallet sets the exact fee' : ''}
        </Line>
        <Line term="Balance after, at least">
          {left === null || left < 0n ? '—' : `${heldEther(left)} ETH`}
        </Line>
      </dl>
      {earlier !== null && <EarlierNote earlier={earlier} />}
      {isOwn && (
        <p role="status" className="mt-3 text-amber">
          This is the wallet's own address. You would only spend the fee.
        </p>
      )}
      {isContract && (
        <p role="status" className="mt-3 text-amber">
          This address is a contract. It may not be able to return coins sent to it.
        </p>
      )}
      <p className="mt-3 text-sm text-ink-3">Your wallet will ask you to confirm.</p>
    </Dialog>
  );
}
