/** A process that tries to take a signer's folder when it is told to, and then keeps what it got. */
import { lockFolder } from '../../../signer/lock-folder.ts';

process.on('message', ({ folder, atMs }: { folder: string; atMs: number }) => {
  // Nobody wakes up later than the others.
  while (Date.now() < atMs);
  lockFolder(folder).then(
    () => process.send?.('taken'),
    () => process.send?.('refused'),
  );
});
process.send?.('up');
