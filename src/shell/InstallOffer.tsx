/** Offers to install the app, in the page's flow, after the first trade. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { latePart, LatePart } from '../components/LatePart.tsx';
import { session } from '../identity/session.ts';
import { readNotes } from '../screens/getting-started/step-notes.ts';
import { connection } from '../stores/connection.ts';
import { install, installWay } from '../platform/install.ts';

const card = latePart(
  'the offer to install',
  async () => (await import('./InstallCard.tsx')).InstallCard,
);

/** Below everything else on the page, so that it covers and moves nothing. */
export function InstallOffer() {
  const { event, declined, installed } = useSnapshot(install);
  const uid = useSnapshot(session).user?.uid ?? '';
  const offline = useSnapshot(connection).online === 'offline';
  // Checked once per screen: the screen on which the first trade appears does not show it.
  const [seenTrade] = useState(() => readNotes(uid).has('trade'));
  const way = installWay({ event, declined, installed });
  const due = way !== null && seenTrade && !offline;
  return due && <LatePart part={card} needed props={{ way }} />;
}
