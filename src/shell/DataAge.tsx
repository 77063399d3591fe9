/** The age of one kind of data, shown once it is stale and always without the server. */
import { Age } from '../components/Age.tsx';
import { STALE_AFTER, type DataKind } from '../stores/data-kinds.ts';
import { useAlone, useDataTime } from './data-age.ts';

export function DataAge({ kind, className }: { kind: DataKind; className?: string }) {
  return (
    <Age
      savedAt={useDataTime(kind)}
      staleAfterMs={STALE_AFTER[kind]}
      onlyStale={!useAlone(kind)}
      {...(className === undefined ? {} : { className })}
    />
  );
}
