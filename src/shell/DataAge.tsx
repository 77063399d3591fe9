/** The age of one kind of data, shown once it is stale and always without the server. */
import { useSnapshot } from 'valtio';
import { Age } from '../components/Age.tsx';
import { connection } from '../stores/connection.ts';
import { STALE_AFTER, type DataKind } from '../stores/data-kinds.ts';
import { useDataTime } from './data-age.ts';

export function DataAge({ kind, className }: { kind: DataKind; className?: string }) {
  const { online } = useSnapshot(connection);
  return (
    <Age
      savedAt={useDataTime(kind)}
      staleAfterMs={STALE_AFTER[kind]}
      onlyStale={online !== 'offline'}
      {...(className === undefined ? {} : { className })}
    />
  );
}
