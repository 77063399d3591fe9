/** What tabs tell each other: told to others, not to oneself, and nothing once it is closed. */
import { expect, it } from 'vitest';
import { openChannel, type OfflineMessage } from '../../../src/offline/channel.ts';

it('tells the other tabs and not its own, drops what has another form, and is silent once closed', async () => {
  const [one, two] = [openChannel('channel-test'), openChannel('channel-test')];
  const stranger = new BroadcastChannel('channel-test');
  const heard: OfflineMessage[] = [];
  const own: OfflineMessage[] = [];
  two.listen((message) => {
    heard.push(message);
  });
  one.listen((message) => {
    own.push(message);
  });
  stranger.postMessage({ type: 'queue', uid: 7 });
  one.post({ type: 'queue', uid: 'a' });
  await expect.poll(() => heard).toEqual([{ type: 'queue', uid: 'a' }]);
  expect(own).toEqual([]);
  one.close();
  expect(() => {
    one.post({ type: 'purged', uid: 'a' });
  }).not.toThrow();
  two.close();
  stranger.close();
});
