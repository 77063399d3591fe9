/** The progress of a transfer, stage by stage, with a link to the block explorer. */
import { ExternalLink } from 'lucide-react';
import { useConfig } from 'wagmi';
import { base } from 'wagmi/chains';
import { Age } from '../../components/Age.tsx';
import { Button } from '../../components/Button.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { shortAddress } from '../../format/addresses.ts';
import { costEther, exactEther } from './ether.ts';
import { CoinsTag } from '../PanelHead.tsx';
import { stopWaiting } from './send-ether.ts';
import { stageOf, type Send, type SendStage } from './sends-store.ts';

const SHOWN: Record<SendStage, { tone: BadgeTone; word: string; sentence: string }> = {
  asking: {
    tone: 'attention',
    word: 'Waiting for your wallet',
    sentence: 'Confirm in your wallet. Its window may be behind this one.',
  },
  sent: {
    tone: 'attention',
    word: 'Sent, not confirmed yet',
    sentence:
      'The network has the transfer but no block includes it yet. You can leave this page; we check again when you return.',
  },
  confirmed: { tone: 'good', word: 'Confirmed', sentence: 'The transfer is in a block.' },
  reverted: {
    tone: 'bad',
    word: 'Reverted',
    sentence:
      'The network rejected the transfer. The amount stayed in your wallet; the network fee was spent.',
  },
  unseen: {
    tone: 'attention',
    word: 'Not seen yet',
    sentence:
      'Not in a block after 3 minutes. The transfer may still arrive: check your wallet or the explorer before you send again.',
  },
  unknown: {
    tone: 'attention',
    word: 'Outcome unknown',
    sentence:
      "Your wallet gave this page no transaction. The transfer may have been sent: check your wallet's history before you send again.",
  },
  replaced: {
    tone: 'neutral',
    word: 'Replaced',
    sentence: 'Your wallet sent another transaction in its place. This transfer did not arrive.',
  },
  cancelled: {
    tone: 'neutral',
    word: 'Cancelled',
    sentence:
      'You cancelled the transfer in your wallet. The amount stayed there; the fee of the cancellation was spent.',
  },
};

/** Where a smart wallet's operation ended in a way that a plain transfer cannot. */
function sentenceOf({ feeWei, hash }: Send, stage: SendStage): string {
  if (stage === 'unknown' && hash !== null)
    return "The network has the transaction, but it does not say what became of your transfer. It may have been sent: check your wallet's history before you send again.";
  if (stage === 'reverted' && feeWei === null)
    return 'The network rejected the transfer. The amount stayed in your wallet.';
  return SHOWN[stage].sentence;
}

function ExplorerLink({ chainId, hash }: { chainId: number; hash: string }) {
  const explorer = useConfig().chains.find(({ id }) => id === chainId)?.blockExplorers?.default;
  if (explorer === undefined) return null;
  return (
    <a
      href={`${explorer.url}/tx/${hash}`}
      target="_blank"
      rel="noreferrer"
      className="reach inline-flex min-h-8 items-center gap-1 font-medium text-accent underline underline-offset-2"
    >
      {explorer.name}
      <span className="sr-only">, transaction {hash}</span>
      <ExternalLink className="size-3.5" aria-hidden />
    </a>
  );
}

/** `isLive`: the one under way, whose change is spoken. */
export function SendProgress({ send, isLive = false }: { send: Send; isLive?: boolean }) {
  const stage = stageOf(send);
  const { tone, word } = SHOWN[stage];
  const sentence = sentenceOf(send, stage);
  const reason = stage === 'reverted' && send.reason !== null ? ` Reason: ${send.reason}.` : '';
  return (
    <div data-send-stage={stage} className="py-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">
          {exactEther(BigInt(send.wei))} ETH{' '}
          <span className="font-normal text-ink-3">
            to{' '}
            <span className="font-mono text-sm" title={send.to}>
              {shortAddress(send.to)}
            </span>
          </span>
        </span>
        <span role={isLive ? 'status' : undefined}>
          <StatusBadge tone={tone}>{word}</StatusBadge>
        </span>
      </div>
      <p className="max-w-[64ch] text-sm text-ink-2">
        {sentence}
        {reason}
      </p>
      {stage === 'asking' && (
        <Button
          size="sm"
          className="mt-2"
          onClick={() => {
            stopWaiting(send.id);
          }}
        >
          Stop waiting
        </Button>
      )}
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-3">
        <CoinsTag real={send.chainId === base.id} />
        <Age savedAt={send.askedAt} staleAfterMs={Infinity} />
        {send.feeWei !== null && <span>fee {costEther(BigInt(send.feeWei))} ETH</span>}
        {send.hash !== null && <ExplorerLink chainId={send.chainId} hash={send.hash} />}
      </div>
    </div>
  );
}
