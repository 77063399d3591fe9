/** The passkeys that may confirm live trading, and their removal. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Passkey } from '../../../contract/live.ts';
import { api } from '../../api/api.ts';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { Section } from '../../components/Section.tsx';
import { failureSentence } from '../../format/failure-sentence.ts';
import { formatWhen } from '../../format/times.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';

type Known = { passkeys: readonly Passkey[] } | { failure: string } | null;

function usePasskeys(): { known: Known; again: () => void } {
  const { online } = useSnapshot(connection);
  const [known, setKnown] = useState<Known>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (online === 'offline') return;
    let here = true;
    const show = (next: Known): void => {
      if (here) setKnown(next);
    };
    api.call('passkeys', {}).then(show, async (error: unknown) => {
      show({ failure: await failureSentence(error) });
    });
    return () => {
      here = false;
    };
  }, [online, turn]);
  return {
    known,
    again: () => {
      setTurn(turn + 1);
    },
  };
}

function Row({ passkey, onGone }: { passkey: Passkey; onGone: () => void }) {
  const { label, createdAt, lastUsedAt } = passkey;
  const remove = async (): Promise<void> => {
    try {
      await api.call('deletePasskey', { params: { id: passkey.id } });
      pageToast('success', `Passkey “${label}” deleted.`);
      onGone();
    } catch (error) {
      pageToast('error', await failureSentence(error));
    }
  };
  return (
    <li className="rule flex items-center justify-between gap-3 py-3">
      <span className="min-w-0">
        <span className="block truncate font-medium">{label}</span>
        <span className="block text-xs text-ink-3">
          Made {formatWhen(createdAt)},{' '}
          {lastUsedAt === null ? 'not used yet' : `last used ${formatWhen(lastUsedAt)}`}
        </span>
      </span>
      <HoldToConfirm
        size="sm"
        label="Delete"
        sentence={`Delete the passkey “${label}”?`}
        onConfirm={() => {
          void remove();
        }}
      />
    </li>
  );
}

/** Shown once there is a passkey, or an exchange account that could have one. */
export function PasskeysSection() {
  const { online } = useSnapshot(connection);
  const hasAccount = useSnapshot(accountChoice).known.length > 0;
  const { known, again } = usePasskeys();
  const list = known !== null && 'passkeys' in known ? known.passkeys : null;
  if (!hasAccount && (list === null || list.length === 0)) return null;
  return (
    <Section title="Passkeys">
      <p className="text-ink-2">
        They confirm starts with real money and higher limits. An exchange account keeps the
        passkeys it was connected with: if you lost one, end live trading there, delete its key and
        connect again.
      </p>
      {list !== null && list.length > 0 && (
        <ul className="mt-3">
          {list.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onGone={again} />
          ))}
        </ul>
      )}
      {list?.length === 0 && (
        <p className="rule mt-3 py-3 text-ink-3">None. You confirm with your password.</p>
      )}
      {known !== null && 'failure' in known && (
        <p role="alert" className="mt-3 text-danger">
          {known.failure}
        </p>
      )}
      {known === null && online === 'offline' && (
        <p className="mt-3 text-ink-3">— You're offline. The list comes from the server.</p>
      )}
    </Section>
  );
}
