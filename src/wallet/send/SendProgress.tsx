/**
 * How far a send has come, stage by stage, with the way to the chain's own record; refuses to say
 * more than the chain has.
 */
import { ExternalLink } from 'lucide-react';
import { useConfig } from 'wagmi';
import { base } from 'wagmi/chains';
import { Age } from '../../components/Age.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { shortAddress } from '../../format/addresses.ts';
import { costEther, exactEther } from './ether.ts';
import { CoinsTag } from '../PanelHead.tsx';
import { stageOf, type Send, type SendStage } from './sends-store.ts';

const SHOWN: Record<SendStage, { tone: BadgeTone; word: string; sentence: string }> = {
  asking: {
    tone: 'attention',
    word: 'Asking the wallet',
    sentence: 'The wallet asks for your yes. Its window may lie behind this one.',
  },
  sent: {
    tone: 'attention',
    word: 'Sent, not yet confirmed',
    sentence:
      'The chain has it and no block yet. You may leave this page: it is looked for again when you are back.',
  },
  confirmed: { tone: 'good', word: 'Confirmed', sentence: 'It is in a block.' },
  reverted: {
    tone: 'bad',
    word: 'Reverted',
    sentence: 'The chain refused it: the amount stayed in the wallet, the network fee is spent.',
  },
  unseen: {
    tone: 'attention',
    word: 'Not seen yet',
    sentence:
      'Not in a block for 3 minutes. It may still arrive: do not send again before you have looked in the wallet or in the explorer.',
  },
  unknown: {
    tone: 'attention',
    word: 'Outcome unknown',
    sentence:
      "The wallet was asked and this page did not hear its answer. It may have been sent: look in the wallet's own list before you send again.",
  },
  replaced: {
    tone: 'neutral',
    word: 'Replaced',
    sentence: 'The wallet sent something else in its place: this one did not arrive.',
  },
  cancelled: {
    tone: 'neutral',
    word: 'Cancelled',
    sentence:
      'Cancelled in the wallet: the amount stayed, the network fee of the cancellation is spent.',
  },
};

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
  const { sentence, tone, word } = SHOWN[stage];
  const reason = stage === 'reverted' && send.reason !== null ? ` Its reason: ${send.reason}.` : '';
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
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-3">
        <CoinsTag real={send.chainId === base.id} />
        <Age savedAt={send.askedAt} staleAfterMs={Infinity} />
        {send.feeWei !== null && <span>fee {costEther(BigInt(send.feeWei))} ETH</span>}
        {send.hash !== null && <ExplorerLink chainId={send.chainId} hash={send.hash} />}
      </div>
    </div>
  );
}
