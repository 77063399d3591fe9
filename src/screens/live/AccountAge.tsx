/** The age of an exchange account, shown once it is old and always without the server. */
import { Age } from '../../components/Age.tsx';
import { STALE_MS, useAccountAge, useLiveAccount } from './use-live.ts';

export function AccountAge({ id }: { id: string }) {
  const { savedAt, alone } = useAccountAge(id);
  return <Age savedAt={savedAt} staleAfterMs={STALE_MS} onlyStale={!alone} />;
}

/** On a screen that has the account's money and nothing else to read it anew. */
export default function ReadAccountAge({ id }: { id: string }) {
  useLiveAccount(id);
  return <AccountAge id={id} />;
}
