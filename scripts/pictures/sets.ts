/** Every screen in every state that a user can reach, by who sees it and what is pressed. */
import type { BrowserContext, Page } from 'playwright-core';
import { controlled } from '../../tests/support/browser.ts';
import { administer, ageSignIn } from '../../tests/support/fault-world.ts';
import type { TestUser } from '../../tests/support/server.ts';
import {
  openCamera,
  type Base,
  type Camera,
  type CameraOptions,
  type Form,
  type PictureSet,
  type Shot,
} from './camera.ts';
import type { World } from './people.ts';
import { books, held, off, plans } from './plan-sets.ts';

const OPEN: readonly Shot[] = [
  ['landing', '/'],
  ['login', '/login'],
  ['register', '/register'],
  ['referred', '/ref/FRIEND-42'],
  ['terms', '/terms'],
  ['privacy', '/privacy'],
  ['risk-disclosure', '/risk-disclosure'],
  ['learn-more', '/learn-more'],
  ['faq', '/faq'],
  ['how-it-works', '/how-it-works'],
  ['guard', '/dashboard'],
].map(([name = '', path = '']) => ({ name, path, long: name !== 'guard' }));

const own = (world: World): readonly Shot[] =>
  [
    ['dashboard', '/dashboard'],
    ['agents', '/agents'],
    ['agent', `/agents/${world.agents.running}`],
    ['agent-stopped', `/agents/${world.agents.stopped}`],
    ['market', '/market'],
    ['symbol', '/market/ETH-USDT'],
    ['portfolio', '/portfolio'],
    ['analytics', '/analytics'],
    ['alerts', '/alerts'],
    ['performance', '/performance'],
    ['trading', '/trading'],
    ['subscription', '/subscription'],
    ['security', '/security'],
    ['settings', '/settings'],
    ['wallet', '/wallet'],
    ['stop-all', '/stop-all'],
    ['getting-started', '/getting-started'],
    ['guided-setup', '/guided-setup'],
    ['library', '/library'],
    ['support', '/support'],
    ['referrals', '/referrals'],
    ['standard-dashboard', '/standard-dashboard'],
    ['pro-dashboard', '/pro-dashboard'],
  ].map(([name = '', path = '']) => ({ name, path, long: true }));
/** The screens that read what the server says. */
const READING = new Set([
  'dashboard',
  'agents',
  'agent',
  'market',
  'symbol',
  'portfolio',
  'analytics',
  'performance',
  'trading',
  'subscription',
  'support',
  'referrals',
  'security',
  'stop-all',
]);
const reading = (world: World): readonly Shot[] =>
  own(world)
    .filter(({ name }) => READING.has(name))
    .map((shot) => ({ ...shot, long: false }));
const MAIN = new Set([
  'dashboard',
  'agents',
  'agent',
  'market',
  'symbol',
  'portfolio',
  'analytics',
  'trading',
  'subscription',
  'security',
]);

async function using(
  world: World,
  base: Base,
  user: TestUser | null,
  more: Partial<CameraOptions>,
  work: (camera: Camera) => Promise<void>,
): Promise<void> {
  const camera = await openCamera({ ...base, ...more, url: world.server.url, user });
  try {
    await work(camera);
  } finally {
    await camera.close();
  }
}

const ANSWERS = /\/(api|subscriptions|callable)\/|\/market\/(data|overview|pools|candles)/;
/** The same without the plan, on whose word the guard lets anyone see a screen's own places. */
const FIGURES = /\/api\/(?!subscription)|\/callable\/|\/market\/(data|overview|pools|candles)/;
/** Keeps nothing between screens, so that what is not answered is not there. */
const keepNothing = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript('localStorage.setItem("tradewind.keepSnapshots", "false")');

const open: PictureSet = (world, base) =>
  using(world, base, null, {}, (camera) => camera.take('open', OPEN));
const filled: PictureSet = (world, base) =>
  using(world, base, world.trader, {}, (camera) =>
    camera.take(
      'filled',
      base.form === 'zoom' || base.form === 'narrow'
        ? own(world).filter(({ name }) => MAIN.has(name))
        : own(world),
    ),
  );
const max: PictureSet = (world, base) =>
  using(world, base, world.max, {}, (camera) =>
    camera.take(
      'pro-max',
      own(world).filter(({ name }) =>
        [
          'dashboard',
          'pro-dashboard',
          'agents',
          'analytics',
          'performance',
          'portfolio',
          'subscription',
          'trading',
        ].includes(name),
      ),
    ),
  );
const empty: PictureSet = (world, base) =>
  using(world, base, world.fresh, {}, (camera) =>
    camera.take(
      'empty-free',
      own(world).filter(
        ({ name }) => !['agent-stopped', 'standard-dashboard', 'library'].includes(name),
      ),
    ),
  );
const ending: PictureSet = (world, base) =>
  using(world, base, world.ending, {}, (camera) =>
    camera.take(
      'trial-ends',
      own(world).filter(({ name }) => ['dashboard', 'agents', 'subscription'].includes(name)),
    ),
  );

const loading: PictureSet = (world, base) =>
  using(
    world,
    base,
    world.trader,
    { before: keepNothing as CameraOptions['before'], loading: true, quiet: true },
    async (camera) => {
      await camera.context.route(FIGURES, () => undefined);
      await camera.take('loading', reading(world));
    },
  );
const failing: PictureSet = (world, base) =>
  using(
    world,
    base,
    world.trader,
    { before: keepNothing as CameraOptions['before'], quiet: true },
    async (camera) => {
      await camera.context.route(ANSWERS, (route) =>
        route.fulfill({
          status: 500,
          json: { error: { code: 'internal', message: 'The server failed on this.' } },
        }),
      );
      await camera.take('error', reading(world));
    },
  );
const stale: PictureSet = (world, base) =>
  using(
    world,
    base,
    world.trader,
    {
      quiet: true,
      before: async (context) => {
        await context.route('**/api/stream*', (route) => route.abort());
      },
    },
    async (camera) => {
      await camera.page.clock.install();
      for (const shot of reading(world).filter(({ name }) =>
        ['dashboard', 'agents', 'market', 'symbol', 'portfolio'].includes(name),
      )) {
        // The stream has been given up, and nothing that is asked again answers while the picture
        // is taken.
        await camera.take('stale', [
          {
            ...shot,
            act: async (page) => {
              await camera.context.route(ANSWERS, () => undefined);
              await page.clock.fastForward(6 * 60_000);
            },
          },
        ]);
        await camera.context.unroute(ANSWERS);
      }
    },
  );

const offline: PictureSet = (world, base) =>
  using(world, base, world.trader, { worker: true, quiet: true }, async (camera) => {
    const { page, context } = camera;
    await controlled(page);
    for (const { path = '/' } of reading(world)) {
      await page.goto(`${world.server.url}${path}`);
      await page.waitForTimeout(700);
    }
    await context.setOffline(true);
    await camera.take(
      'offline',
      own(world).map((shot) => ({ ...shot, long: false })),
    );
    await camera.take('offline', [
      {
        name: 'stop-saved',
        path: `/agents/${world.agents.running}`,
        act: async () => {
          await page.getByRole('button', { name: 'Stop', exact: true }).click();
        },
      },
      { name: 'stop-saved-list', path: '/agents' },
      {
        name: 'palette-offline',
        path: '/dashboard',
        act: async () => {
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill('eth');
        },
      },
    ]);
    // Taken back: the next set finds the agent as it was.
    await page.goto(`${world.server.url}/agents/${world.agents.running}`);
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await page.waitForTimeout(300);
  });
const expired: PictureSet = async (world, base) => {
  await using(world, base, world.max, { worker: true, quiet: true }, async (camera) => {
    const { page, context } = camera;
    await controlled(page);
    await page.waitForTimeout(1_000);
    await ageSignIn(page, world.server, world.max, 4 * 3_600_000 + 60_000);
    await camera.take('expired', [
      { name: 'dashboard', path: '/dashboard' },
      { name: 'stop-all', path: '/stop-all' },
    ]);
    await context.setOffline(true);
    await camera.take('expired', [{ name: 'dashboard-offline', path: '/dashboard' }]);
  });
  await administer(world.server, world.max, { lastLoginAt: String(Date.now()) });
};

const press =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).filter({ visible: true }).first().click();
  };
const paletteShots: readonly Shot[] = [
  {
    name: 'palette',
    path: '/dashboard',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
    },
  },
  {
    name: 'palette-found',
    path: '/dashboard',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('h');
    },
  },
  {
    name: 'palette-nothing',
    path: '/dashboard',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('no such thing');
    },
  },
  {
    name: 'palette-stop',
    path: '/dashboard',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('stop har');
    },
  },
];
const dialogs = (world: World): readonly Shot[] => [
  { name: 'menu', path: '/dashboard', act: press('More'), forms: ['phone'] },
  { name: 'account-menu', path: '/dashboard', act: press(/^Account /), forms: ['desk'] },
  ...paletteShots,
  {
    name: 'keys',
    path: '/dashboard',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'explain', path: '/dashboard', act: press(/explain/i) },
  { name: 'new-agent', path: '/agents', act: press('New agent') },
  { name: 'stop-all-asks', path: '/agents', act: press('Stop all') },
  { name: 'start-preview', path: `/agents/${world.agents.stopped}`, act: press('Start') },
  { name: 'edit-agent', path: `/agents/${world.agents.running}`, act: press('Edit') },
  { name: 'chart-table', path: '/market/ETH-USDT', act: press('Table') },
  {
    name: 'market-search',
    path: '/market',
    act: async (page) => {
      await page.getByRole('searchbox').first().fill('so');
    },
  },
  {
    name: 'market-search-nothing',
    path: '/market',
    act: async (page) => {
      await page.getByRole('searchbox').first().fill('zzzz');
    },
  },
  { name: 'tax-lots', path: '/portfolio', act: press('Tax lots') },
  { name: 'sale', path: '/portfolio', act: press(/the result of /) },
  {
    name: 'tested',
    path: `/agents/${world.agents.running}`,
    act: async (page) => {
      await press('Run backtest')(page);
      await page.getByRole('button', { name: 'Run again' }).waitFor();
      await page.getByRole('region', { name: 'Backtest', exact: true }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'position', path: '/portfolio', act: press(/^(BTC|ETH|SOL) /) },
  {
    name: 'toast',
    path: '/trading',
    act: async (page) => {
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.waitForTimeout(700);
    },
  },
  { name: 'not-an-agent', path: '/agents/00000000-0000-4000-8000-000000000000' },
];
const over: PictureSet = async (world, base) => {
  await using(world, base, world.trader, {}, (camera) => camera.take('dialogs', dialogs(world)));
  await using(world, base, world.fresh, {}, (camera) =>
    camera.take('dialogs', [
      { name: 'no-plan-for-agents', path: '/agents', act: press('New agent') },
      {
        name: 'start-trial',
        path: '/subscription',
        act: async (page) => {
          await page.getByRole('button', { name: /trial/i }).first().hover();
        },
      },
    ]),
  );
  await using(world, base, null, {}, (camera) =>
    camera.take('dialogs', [
      { name: 'forgotten-password', path: '/login', act: press('Forgot password?') },
      {
        name: 'login-wrong',
        path: '/login',
        act: async (page) => {
          await page.getByLabel('Email').fill('nobody');
          await page.getByRole('button', { name: 'Log in' }).click();
        },
      },
    ]),
  );
};

const choices: PictureSet = (world, base) =>
  using(
    world,
    base,
    world.trader,
    {
      before: (context) =>
        context.addInitScript(
          'localStorage.setItem("tradewind.appearance", JSON.stringify({ theme: "system", gain: "blue", rows: "roomy" }))',
        ) as unknown as Promise<void>,
    },
    (camera) =>
      camera.take(
        'blue-orange',
        own(world)
          .filter(({ name }) =>
            ['dashboard', 'agents', 'market', 'symbol', 'portfolio', 'analytics'].includes(name),
          )
          .map((shot) => ({ ...shot, long: false })),
      ),
  );

/** A failure above everything, and one of a single screen. */
const crash: PictureSet = async (world, base) => {
  const withDetails: Shot = { name: 'crash-details', act: press('Error details') };
  await using(world, base, world.trader, { quiet: true }, async (camera) => {
    await camera.page.addInitScript(
      'HTMLElement.prototype.focus = () => { throw new Error("The page was broken on purpose"); }',
    );
    await camera.take('crash', [{ name: 'crash', path: '/dashboard' }, withDetails]);
  });
  await using(world, base, world.trader, { quiet: true }, async (camera) => {
    await camera.context.route(/assets\/LibraryScreen-[^/]+\.js$/, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'export default function Broken() { throw new Error("The screen was broken on purpose"); }',
      }),
    );
    await camera.take('crash', [{ name: 'route-error', path: '/library' }]);
  });
};

/** By name, with the forms each is worth taking in. */
export const SETS: Readonly<Record<string, { take: PictureSet; forms: readonly Form[] }>> = {
  open: { take: open, forms: ['phone', 'desk', 'zoom', 'narrow'] },
  filled: { take: filled, forms: ['phone', 'desk', 'zoom', 'narrow'] },
  'pro-max': { take: max, forms: ['phone', 'desk'] },
  'empty-free': { take: empty, forms: ['phone', 'desk'] },
  'trial-ends': { take: ending, forms: ['phone', 'desk'] },
  dialogs: { take: over, forms: ['phone', 'desk'] },
  loading: { take: loading, forms: ['phone', 'desk'] },
  error: { take: failing, forms: ['phone', 'desk'] },
  stale: { take: stale, forms: ['phone', 'desk'] },
  'blue-orange': { take: choices, forms: ['phone', 'desk'] },
  crash: { take: crash, forms: ['phone', 'desk'] },
  offline: { take: offline, forms: ['phone', 'desk'] },
  expired: { take: expired, forms: ['phone', 'desk'] },
  held: { take: held, forms: ['phone', 'desk'] },
  'switched-off': { take: off, forms: ['phone', 'desk', 'narrow'] },
  plans: { take: plans, forms: ['phone', 'desk'] },
  books: { take: books, forms: ['phone', 'desk'] },
};
