// @vitest-environment happy-dom
/** What the app makes of a Stop that was pressed on the first frame. */
import '../../../../support/page-world.ts';
import { beforeEach, expect, it, vi } from 'vitest';
import { recordAgent } from '../../../../../src/api/recorded-replies.ts';

const { sendQueued, stopAgent } = vi.hoisted(() => ({ sendQueued: vi.fn(), stopAgent: vi.fn() }));
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  sendQueued,
  stopAgent,
}));

const { takeCaughtStop } =
  await import('../../../../../src/screens/agents/start-stop/caught-stops.ts');
const { applyAgents } = await import('../../../../../src/stores/agents-store.ts');
const { stopOffer, withdrawOffer } = await import('../../../../../src/stores/stop-offer.ts');

const caught = (isSaved: boolean) => ({
  press: { commandId: 'c1', agentId: 'a', agentName: 'Harbour', seenGeneration: 4, pressedAt: 7 },
  bottomPx: 0,
  byKey: false,
  isLate: false,
  saved: Promise.resolve(isSaved),
});

beforeEach(() => {
  withdrawOffer();
  sendQueued.mockReset();
  stopAgent.mockReset().mockResolvedValue({ said: 'saved', entry: { commandId: 'c1' } });
});

it('leaves one that is saved to the queue', async () => {
  await takeCaughtStop(caught(true));
  expect(stopAgent).not.toHaveBeenCalled();
  expect(sendQueued).toHaveBeenCalledOnce();
  expect(stopOffer.offer?.commandId).toBe('c1');
});

it('presses one that could not be saved again as it was pressed, under its id (F109)', async () => {
  const now = { ...recordAgent('a', 'Harbour', 0), generation: 6 };
  applyAgents({ agents: [now], sequence: 1, asOf: 1 }, 'network');
  const pressed = caught(false);
  await takeCaughtStop(pressed);
  expect(pressed.isLate, 'the disk no longer needs to take it').toBe(true);
  expect(stopAgent).toHaveBeenCalledExactlyOnceWith(
    { id: 'a', name: 'Harbour', generation: 4 },
    { press: { id: 'c1', at: 7 } },
  );
  await vi.waitFor(() => {
    expect(stopOffer.offer?.commandId).toBe('c1');
  });
});
