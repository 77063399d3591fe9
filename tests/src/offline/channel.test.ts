/** What tabs tell each other: told to others, not to oneself, and nothing once it is closed. */
import { expect, it, vi } from 'vitest';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { openChannel, type OfflineMessage } from '../../../src/offline/channel.ts';
import { entryOf, stop, T0 } from './samples.ts';

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

/** What is posted by hand is of another build: it bears no mark. */
function listening(name: string): {
  heard: OfflineMessage[];
  other: BroadcastChannel;
  own: ReturnType<typeof openChannel>;
  end: () => void;
} {
  const [listener, own] = [openChannel(name), openChannel(name)];
  const other = new BroadcastChannel(name);
  const heard: OfflineMessage[] = [];
  listener.listen((message) => {
    heard.push(message);
  });
  return {
    heard,
    other,
    own,
    end() {
      listener.close();
      own.close();
      other.close();
    },
  };
}

const delivered = (): OfflineMessage & { type: 'delivered' } => ({
  type: 'delivered',
  uid: 'a',
  entry: entryOf(stop('x')),
  agents: [recordAgent('x', 'x', T0)],
  alert: null,
});

it('hears of a delivery from its own build as it was told, and parses what another build tells', async () => {
  const { heard, other, own, end } = listening('channel-delivered');
  const message = delivered();
  own.post(message);
  await expect.poll(() => heard).toEqual([message]);
  const [agent] = message.agents;
  other.postMessage({ ...message, agents: [{ ...agent, beside: 1 }] });
  await expect.poll(() => heard).toEqual([message, message]);
  end();
});

it('drops a delivery whose command, agents or alert has another form', async () => {
  const { heard, other, own, end } = listening('channel-unlike');
  const message = delivered();
  for (const change of [
    { entry: { ...message.entry, intent: 'buy' } },
    { agents: [{ id: 'x' }] },
    { agents: undefined },
    { alert: { id: 'x' } },
    { uid: 7 },
  ])
    other.postMessage({ ...message, ...change });
  other.postMessage(message);
  own.post({ type: 'queue', uid: 'a' });
  await expect.poll(() => heard).toHaveLength(2);
  expect(heard).toEqual(expect.arrayContaining([message, { type: 'queue', uid: 'a' }]));
  end();
});

it('passes a purge on at once, and nothing of before it afterwards', async () => {
  let answer: (schemas: { parseTold: () => unknown }) => void = () => undefined;
  vi.resetModules();
  vi.doMock(
    '../../../src/offline/foreign-message.ts',
    () =>
      new Promise<{ parseTold: () => unknown }>((resolve) => {
        answer = resolve;
      }),
  );
  const { openChannel: openAnew } = await import('../../../src/offline/channel.ts');
  const channel = openAnew('channel-purged');
  const other = new BroadcastChannel('channel-purged');
  const heard: string[] = [];
  channel.listen(({ type }) => {
    heard.push(type);
  });
  other.postMessage(delivered());
  other.postMessage({ type: 'purged', uid: 'a' });
  await expect.poll(() => heard).toEqual(['purged']);
  const parseTold = vi.fn(() => ({ agents: [] }));
  answer({ parseTold });
  await expect.poll(() => parseTold.mock.calls.length).toBe(1);
  other.postMessage({ type: 'queue', uid: 'b' });
  await expect.poll(() => heard).toEqual(['purged', 'queue']);
  channel.close();
  other.close();
  vi.doUnmock('../../../src/offline/foreign-message.ts');
});
