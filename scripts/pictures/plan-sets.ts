/**
 * Screenshots of states caused by plans, guards and operators: halted agents, trading halts, plan
 * states, closed accounts.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { Agent, AgentList } from '../../contract/agents.ts';
import type { SubscriptionState } from '../../contract/subscription-state.ts';
import { SubscriptionStatusReply } from '../../contract/subscription.ts';
import type { Tier } from '../../contract/permission.ts';
import { callApi } from '../../tests/support/server.ts';
import { ROOT } from '../build-stamp.ts';
import { openCamera, type Base, type PictureSet, type Shot } from './camera.ts';
import type { World } from './people.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The server's own list with its first two agents as a guard and as a failure of ours leave them:
 * neither comes when it is called.
 */
async function heldAgents(context: BrowserContext): Promise<void> {
  await context.route('**/api/stream*', (route) => route.abort());
  await context.route('**/api/agents', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const response = await route.fetch();
    const list = (await response.json()) as AgentList;
    // Until when a guard holds is told on the market's clock.
    const marketAt = Math.max(...list.agents.map(({ lastRunAt }) => lastRunAt ?? 0));
    const holds: Pick<Agent, 'status' | 'hold'>[] = [
      {
        status: 'halted',
        hold: { code: 'day_loss', text: 'Day loss above 4 %', until: marketAt + 5 * HOUR_MS },
      },
      {
        status: 'faulted',
        hold: { code: 'internal', text: 'A look at the market failed on our side', until: null },
      },
    ];
    list.agents.slice(0, holds.length).forEach((agent, index) => {
      Object.assign(agent, holds[index]);
    });
    return route.fulfill({ response, json: list });
  });
}

export const held: PictureSet = async (world, base) => {
  const camera = await openCamera({
    ...base,
    url: world.server.url,
    user: world.trader,
    quiet: true,
    before: heldAgents,
  });
  await camera.take('held', [
    { name: 'dashboard', path: '/dashboard' },
    { name: 'agents', path: '/agents' },
    { name: 'agent-halted', path: `/agents/${world.agents.running}` },
  ]);
  await camera.close();
};

/** What an operator has switched off, by the operator's own command, until it is lifted again. */
export const off: PictureSet = async (world, base) => {
  const command = (...words: string[]): unknown =>
    execFileSync(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'scripts', 'halt.ts'), '--platform', ...words],
      { cwd: ROOT, env: { ...process.env, DATA_DIR: world.server.dataDir } },
    );
  command(
    '--reason',
    'Two exchanges disagree about prices while we look into it',
    '--until',
    new Date(Date.now() + 5 * HOUR_MS).toISOString(),
  );
  const camera = await openCamera({ ...base, url: world.server.url, user: world.trader });
  try {
    await camera.take('switched-off', [
      { name: 'dashboard', path: '/dashboard' },
      { name: 'agents', path: '/agents' },
      { name: 'agent', path: `/agents/${world.agents.running}` },
      {
        name: 'start',
        path: `/agents/${world.agents.stopped}`,
        act: async (page) => {
          await page.getByRole('button', { name: 'Start', exact: true }).click();
        },
      },
    ]);
  } finally {
    await camera.close();
    command('--lift');
  }
};

const standing = (
  state: SubscriptionState['state'],
  tier: Tier,
  inDays: number | null,
  next: SubscriptionState['next'],
): SubscriptionState => ({
  state,
  tier,
  until: inDays === null ? null : Date.now() + inDays * DAY_MS,
  next,
});
const STANDINGS: readonly SubscriptionState[] = [
  standing('grace', 'pro-max', 2, { state: 'lapsed', tier: 'free' }),
  standing('ending', 'pro-max', 11, { state: 'lapsed', tier: 'free' }),
  standing('lapsed', 'free', null, { state: 'lapsed', tier: 'free' }),
];

/** The status as the server tells it in that standing; days pass slowly in a picture. */
async function standingAs(context: BrowserContext, one: SubscriptionState): Promise<void> {
  await context.route('**/subscriptions/status*', (route) =>
    route.fulfill({
      json: SubscriptionStatusReply.parse({
        subscription: {
          status:
            one.state === 'grace' ? 'past_due' : one.state === 'lapsed' ? 'canceled' : 'active',
          tier: 'pro-max',
          planId: 'pro-max',
          currentPeriodEnd: one.until,
          cancelAtPeriodEnd: one.state === 'ending',
        },
        entitledTier: one.tier,
        servedAt: Date.now(),
        standing: one,
      }),
    }),
  );
}

const inStanding = async (world: World, base: Base, one: SubscriptionState): Promise<void> => {
  const camera = await openCamera({
    ...base,
    url: world.server.url,
    user: world.max,
    quiet: true,
    before: (context) => standingAs(context, one),
  });
  const shots: Shot[] = [
    { name: `${one.state}-subscription`, path: '/subscription', long: true },
    { name: `${one.state}-dashboard`, path: '/dashboard' },
  ];
  if (one.state === 'lapsed')
    shots.push(
      { name: 'lapsed-agent', path: '/agents' },
      { name: 'lapsed-analytics', path: '/analytics' },
    );
  await camera.take('plans', shots);
  await camera.close();
};

export const plans: PictureSet = async (world, base) => {
  for (const one of STANDINGS) await inStanding(world, base, one);
  const camera = await openCamera({ ...base, url: world.server.url, user: world.max });
  const { page } = camera;
  await camera.take('plans', [
    {
      name: 'downgrade-asks',
      path: '/subscription',
      act: async () => {
        await page
          .getByRole('button', { name: /Starter/ })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
        await page.waitForTimeout(700);
      },
    },
    {
      name: 'end-asks',
      path: '/subscription',
      act: async () => {
        await page
          .getByRole('button', { name: /^(Cancel|End)/ })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
        await page.waitForTimeout(700);
      },
    },
  ]);
  await camera.close();
  const free = await openCamera({ ...base, url: world.server.url, user: world.fresh });
  await free.take('plans', [
    {
      name: 'checkout',
      path: '/subscription',
      act: async () => {
        await free.page
          .getByRole('button', { name: /Standard/ })
          .first()
          .click();
        await free.page.waitForURL('**/test-checkout/**');
      },
    },
  ]);
  await free.close();
};

/** Last of all: from here on the person's paper account is a new one. */
export const books: PictureSet = async (world, base) => {
  await callApi(world.server.url, world.max.idToken, 'resetPaper', {});
  const camera = await openCamera({ ...base, url: world.server.url, user: world.max });
  const { page } = camera;
  await camera.take('books', [
    { name: 'portfolio-new', path: '/portfolio', long: true },
    {
      name: 'portfolio-old',
      path: '/portfolio',
      long: true,
      act: async () => {
        await page.getByRole('combobox', { name: 'Paper account' }).selectOption({ index: 1 });
        await page.waitForTimeout(900);
      },
    },
    { name: 'analytics-new', path: '/analytics' },
  ]);
  await camera.close();
};
