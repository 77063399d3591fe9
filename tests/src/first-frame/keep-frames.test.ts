// @vitest-environment happy-dom
/** When frames are drawn for a later start: once all is known, in whatever order it came. */
import '../../support/page-world.ts';
import { expect, it, vi } from 'vitest';

const { writeFrame } = vi.hoisted(() => ({ writeFrame: vi.fn(() => Promise.resolve(true)) }));
vi.mock('../../../src/offline/frames.ts', () => ({ writeFrame }));
vi.mock('../../../src/first-frame/draw-frames.tsx', () => ({ drawScreen: () => '<main></main>' }));
vi.mock('../../../src/platform/breathe.ts', () => ({ idle: () => Promise.resolve() }));
vi.mock('../../../src/shell/routes.ts', () => ({ routeOf: () => undefined }));

const { recordedReplies, recordState } = await import('../../../src/api/recorded-replies.ts');
const { openFrames } = await import('../../../src/first-frame/keep-frames.ts');
const { session } = await import('../../../src/identity/session.ts');
const { applyAgents } = await import('../../../src/stores/agents-store.ts');
const { applyHistory } = await import('../../../src/stores/fills-store.ts');
const { applyPortfolio } = await import('../../../src/stores/portfolio-store.ts');
const { applySubscription } = await import('../../../src/stores/subscription-store.ts');

it('keeps them where the plan is known last, and nothing changes after that', async () => {
  const now = Date.now();
  const replies = recordedReplies(recordState(now), now);
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } },
  });
  openFrames();
  applyAgents(replies.agents!, 'network');
  applyPortfolio(replies.portfolio!, 'network');
  applyHistory(replies.history!, 'network');
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  expect(writeFrame).not.toHaveBeenCalled();
  applySubscription(
    { status: { subscription: null, entitledTier: 'free', servedAt: now }, trial: null },
    'network',
  );
  await vi.waitFor(
    () => {
      expect(writeFrame).toHaveBeenCalledTimes(3);
    },
    { timeout: 10_000 },
  );
});
