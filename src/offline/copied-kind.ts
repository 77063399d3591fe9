/** Which reply the worker keeps a copy of, by the address that was asked. */
import { CALLS } from '../../contract/calls.ts';
import { SNAPSHOT_KINDS, traitsOf, type SnapshotKind } from './snapshot-registry.ts';

/** The kind that the worker keeps of a GET of this address; null for a part, or none of ours. */
export function copiedKind({ pathname, searchParams }: URL): SnapshotKind | null {
  const found = SNAPSHOT_KINDS.find((kind) => {
    const { call, copiedByWorker, wholeDespite = [] } = traitsOf(kind);
    return (
      copiedByWorker === true &&
      call !== undefined &&
      CALLS[call].path === pathname &&
      [...searchParams.keys()].every((key) => wholeDespite.includes(key))
    );
  });
  return found ?? null;
}
