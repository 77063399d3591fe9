/** The place of rows that are on their way, or could not be read: the error is shown once, above. */
import { useSnapshot } from 'valtio';
import type { ComponentProps } from 'react';
import { connection } from '../stores/connection.ts';
import { NotRead, SkeletonRows } from './EmptyState.tsx';

export function Unread({
  error,
  ...rows
}: ComponentProps<typeof SkeletonRows> & { error: string | null }) {
  const { online } = useSnapshot(connection);
  // Offline the rows themselves say that nothing is saved here.
  return error !== null && online !== 'offline' ? <NotRead /> : <SkeletonRows {...rows} />;
}
