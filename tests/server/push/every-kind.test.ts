/** Every kind of push, from what causes it to what a push service takes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PUSH_KINDS } from '../../../contract/push.ts';
import { provokeEveryKind } from '../../support/push-causes.ts';
import { startPushService, type PushService } from '../../support/push-service.ts';

let service: PushService;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => service.close());

it('is brought about by the server itself, real money apart from paper', async () => {
  const messages = (await provokeEveryKind(service, 'person', 0)).map(({ payload }) => payload);
  expect([...new Set(messages.map(({ kind }) => kind))].sort()).toEqual([...PUSH_KINDS].sort());
  const held = messages.flatMap(({ kind, facts }) => (kind === 'agentHeld' ? [facts.status] : []));
  expect(new Set(held)).toEqual(new Set(['faulted', 'halted']));
  const real = messages.filter(({ facts }) => facts.live !== undefined);
  expect(
    real
      .map(({ kind, facts: { live } }) =>
        [kind, live?.what, live?.why ?? '-', live?.label].join(' '),
      )
      .sort(),
  ).toEqual([
    'liveConnection check - My account',
    'liveConnection unreachable - My account',
    'liveEnded live_ended - My account',
    'liveLoss daily_loss - My account',
    'liveOrder unknown - My account',
    // An installed app that is older knows the fact alone.
    'liveStop check sale_refused My account',
    'liveStop check too_small_to_sell My account',
    'liveStop stop_rejected - My account',
  ]);
}, 60_000);
