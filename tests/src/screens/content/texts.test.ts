/**
 * Every text of the product: where it leads, what it is called, and that its figures are the code's
 * own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  FILL_FIGURES,
  GUARD_FIGURES,
  HISTORY,
  LIVE_FIGURES,
  PAYMENT_GRACE_DAYS,
  POOL_FIGURES,
  recovery,
  RISK_SIZES,
  roundTrip,
  STOP_PLACES,
  TERMS,
  TRIAL_DAYS,
} from '../../../../src/screens/content/stated-figures.ts';
import { IMPACT_MAX, PARTICIPATION } from '../../../../engine/execution/fills.ts';
import { JUMP_MAX, SPREAD_MAX } from '../../../../engine/guards/bad-price.ts';
import { PAUSE_MS as COOLDOWN_MS } from '../../../../engine/guards/cooldown.ts';
import { TOGETHER_MIN, TOGETHER_TIMES } from '../../../../engine/guards/correlated-exposure.ts';
import { PEG_BACK_MS, PEG_HALT } from '../../../../engine/signals/pegs.ts';
import { GOOD_FOR_MIN_MS } from '../../../../engine/guards/stale-feed.ts';
import {
  PAUSE_MS as CLUSTER_MS,
  STOPS,
  WITHIN_MS,
} from '../../../../engine/guards/stop-loss-cluster.ts';
import { PAUSE_MS as AFTER_STOP_MS } from '../../../../engine/guards/stop-loss.ts';
import { strengthOf } from '../../../../engine/signals/normal-distribution.ts';
import { POOLS } from '../../../../engine/strategies/pools.ts';
import { RISK_PROFILES } from '../../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../../engine/execution/schedule.ts';
import { VOLATILITY_DAYS, VOLATILITY_DAYS_MIN } from '../../../../engine/signals/candle-series.ts';
import { LONGEST_WARM_UP_MS } from '../../../../engine/signals/compute-signals.ts';
import { WINDOWS_DAYS } from '../../../../engine/strategies/base-ecosystem.ts';
import { ENTER_TOP, KEEP_TOP, VOLUME_DAYS } from '../../../../engine/strategies/momentum-24h.ts';
import { ENTER_SHARE, KEEP_SHARE } from '../../../../engine/strategies/ranked.ts';
import {
  FAIR_BAND,
  HOLD_MAX_MS,
  LEAVE_SHARE,
  PEG_BREAK,
} from '../../../../engine/strategies/stablecoin-arbitrage.ts';
import { COVERAGE_MIN, LONG_HAUL_DAYS } from '../../../../engine/strategies/strategy.ts';
import { YTD_DAYS_MIN } from '../../../../engine/strategies/ytd-champions.ts';
import { PAYMENT_GRACE_MS } from '../../../../server/billing/subscription-state.ts';
import { readConfig } from '../../../../server/config.ts';
import { listedOf } from '../../../../server/market/listed-pairs.ts';
import { rulesOf as tapeRules } from '../../../../server/market/replay-feed.ts';
import { KEY_ADVICE } from '../../../../contract/key-advice.ts';
import { stopRoomBps } from '../../../../contract/stop-limit.ts';
import { FIRST_WEEK, FIRST_WEEK_MS } from '../../../../signer/limits.ts';
import { formatFixed } from '../../../../contract/money.ts';
import { LIVE } from '../../../../src/screens/library/articles/live.ts';
import { untilText } from '../../../../src/screens/agents/detail/AgentHealth.tsx';
import { offlineText } from '../../../../src/shell/offline-text.ts';
import { RESERVED_FOR_STOPS } from '../../../../src/offline/queue-rules.ts';
import { ARTICLES, articleOf } from '../../../../src/screens/library/articles.ts';
import { TOPICS } from '../../../../src/screens/library/article.ts';
import { SETTINGS_PARTS } from '../../../../src/screens/settings/settings-parts.ts';
import { ALL_QUESTIONS } from '../../../../src/screens/content/faq-entries.ts';
import { HOW_IT_WORKS } from '../../../../src/screens/content/HowItWorksScreen.tsx';
import { LEARN_MORE } from '../../../../src/screens/content/LearnMoreScreen.tsx';
import { PRIVACY } from '../../../../src/screens/content/PrivacyScreen.tsx';
import {
  anchorOf,
  headingsOf,
  inlineOf,
  piecesOf,
  minutesOf,
  passagesOf,
  type Block,
} from '../../../../src/screens/content/rich-text.ts';
import { RISKS } from '../../../../src/screens/content/RiskDisclosureScreen.tsx';
import { TERMS_TEXT } from '../../../../src/screens/content/TermsScreen.tsx';
import { routeOf } from '../../../../src/shell/routes.ts';

const DOCUMENTS: readonly (readonly [string, readonly Block[]])[] = [
  ['how-it-works', HOW_IT_WORKS],
  ['learn-more', LEARN_MORE],
  ['privacy', PRIVACY],
  ['risk-disclosure', RISKS],
  ['terms', TERMS_TEXT],
  ...ARTICLES.map((article) => [article.id, article.blocks] as const),
  ...ALL_QUESTIONS.map((question) => [`faq#${question.id}`, question.answer] as const),
];

/** Whether an address inside the app shows what it names. */
function leadsSomewhere(address: string): boolean {
  if (routeOf(address) === undefined) return false;
  const { pathname, searchParams, hash } = new URL(address, 'http://localhost');
  const article = searchParams.get('article');
  if (article !== null) return pathname === '/library' && articleOf(article) !== undefined;
  if (hash === '') return true;
  if (pathname === '/settings') return SETTINGS_PARTS.some(([id]) => `#${id}` === hash);
  if (pathname === '/faq') return ALL_QUESTIONS.some(({ id }) => `#${id}` === hash);
  const [, blocks = []] = DOCUMENTS.find(([id]) => pathname === `/${id}`) ?? [];
  return headingsOf(blocks).some((heading) => `#${anchorOf(heading)}` === hash);
}

/** Where a text leads, in order and with repeats. */
const linksOf = (blocks: readonly Block[]): string[] =>
  blocks
    .flatMap(piecesOf)
    .flatMap(inlineOf)
    .flatMap((part) => ('to' in part ? [part.to] : []));

describe('links of the texts', () => {
  it('lead to a screen, an article or a question that there is (R2-02, R2-17)', () => {
    const links = [
      ...DOCUMENTS.flatMap(([id, blocks]) => linksOf(blocks).map((to) => [id, to] as const)),
      ...ARTICLES.flatMap(({ id, screens }) => screens.map(({ to }) => [id, to] as const)),
    ];
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(([, to]) => !leadsSomewhere(to))).toEqual([]);
  });

  it('written into the screens of words lead to a screen too', () => {
    const found = ['content', 'library', 'library/articles', 'landing', 'getting-started'].flatMap(
      (folder) =>
        readdirSync(`src/screens/${folder}`)
          .filter((file) => /\.tsx?$/.test(file))
          .flatMap((file) =>
            [
              ...readFileSync(`src/screens/${folder}/${file}`, 'utf8').matchAll(
                /(?:href|to)(?:=|: )['"](\/[^'"]*)['"]/g,
              ),
            ].map(([, to]) => `${file} ${to}`),
          ),
    );
    expect(found.length).toBeGreaterThan(25);
    expect(found.filter((one) => !leadsSomewhere(one.split(' ')[1] ?? ''))).toEqual([]);
  });

  it('from one article to the next lead to another that there is, and every article is led to', () => {
    for (const { id, next } of ARTICLES) {
      expect(
        next.filter((other) => other === id || articleOf(other) === undefined),
        id,
      ).toEqual([]);
      expect(next.length, id).toBeGreaterThan(1);
    }
    const reached = new Set(
      ARTICLES.flatMap(({ next, blocks }) => [
        ...next,
        ...linksOf(blocks).flatMap(
          (to) => new URL(to, 'http://localhost').searchParams.get('article') ?? [],
        ),
      ]),
    );
    expect(ARTICLES.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual([]);
  });
});

describe('the texts themselves', () => {
  it('have each an address of their own, a topic, and something to read (R2-17)', () => {
    expect(ARTICLES.length).toBeGreaterThanOrEqual(14);
    expect(new Set(ARTICLES.map(({ id }) => id)).size).toBe(ARTICLES.length);
    for (const topic of TOPICS)
      expect(
        ARTICLES.some((article) => article.topic === topic),
        topic,
      ).toBe(true);
    for (const { id, blocks } of ARTICLES)
      expect(passagesOf(blocks).join(' ').split(' ').length, id).toBeGreaterThan(110);
    for (const { id, blocks } of ARTICLES) expect(minutesOf(blocks), id).toBeLessThanOrEqual(4);
  });

  it('have an article on each pool, by its own name, that says when it loses', () => {
    for (const pool of POOLS) {
      const article = ARTICLES.find(({ also }) => also.includes(pool.id));
      expect(article?.title, pool.id).toContain(pool.name);
      expect(headingsOf(article?.blocks ?? []), pool.id).toContain('When it loses');
    }
  });

  it('answer at least 25 questions, each once (R2-02)', () => {
    expect(ALL_QUESTIONS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(ALL_QUESTIONS.map(({ id }) => id)).size).toBe(ALL_QUESTIONS.length);
    for (const { ask, answer } of ALL_QUESTIONS) {
      expect(ask.endsWith('?') || ask.includes('?'), ask).toBe(true);
      expect(answer.join(' ').length, ask).toBeGreaterThan(40);
    }
  });

  it('say of Stop and sell what is saved without a connection, and what is not', () => {
    const { answer = [] } = ALL_QUESTIONS.find(({ id }) => id === 'stop-vs-sell') ?? {};
    const text = passagesOf(answer).join(' ');
    expect(text).toContain('The Stop is saved on your device and will be sent');
    expect(text).toContain('The sale is not saved: it needs a connection');
    expect(text).not.toContain('must be online');
  });

  it('have headings with addresses of their own', () => {
    for (const [id, blocks] of DOCUMENTS) {
      const anchors = headingsOf(blocks).map(anchorOf);
      expect(new Set(anchors).size, id).toBe(anchors.length);
      expect(anchors, id).not.toContain('');
    }
  });

  it('promise nothing and shout nowhere', () => {
    const shouting =
      /guaranteed? (profit|return|gain)|risk[- ]free|easy money|passive income|oops|!(?!\[)/i;
    expect(
      DOCUMENTS.filter(([, blocks]) => shouting.test(passagesOf(blocks).join(' '))).map(
        ([id]) => id,
      ),
    ).toEqual([]);
  });
});

describe('words that the texts quote', () => {
  it('are those in which agents record and commands wait', () => {
    const said = ['engine/execution/decide-pair.ts', 'src/stores/agent-view.ts']
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const firstCells = ['decisions', 'queued-stop']
      .flatMap((id) => articleOf(id)?.blocks ?? [])
      .flatMap((block) =>
        typeof block !== 'string' && 'table' in block
          ? block.table.rows.map(([cell = '']) => cell)
          : [],
      );
    expect(firstCells.length).toBe(14);
    // The parts that are the same for every agent, pair and number.
    const parts = firstCells
      .flatMap((cell) =>
        cell.split(
          /\d[\d.]*( %)?|\b(?:Stop|ETH|Bought|Holding|weekly|positions|Sent, but not confirmed|Not yet received|Stopped)\b|[…():]/,
        ),
      )
      .filter((part) => part !== undefined && /[a-z]{4}/.test(part))
      .map((part) => part.replace(/^[\s,.]+|[\s,.]+$/g, ''));
    expect(parts.length).toBeGreaterThan(12);
    expect(parts.filter((part) => !said.includes(part))).toEqual([]);
  });

  it('are those of the offline line (R2-17)', () => {
    const at = new Date(2026, 0, 1, 14, 32).getTime();
    const text = passagesOf(articleOf('offline')?.blocks ?? []).join(' ');
    expect(text).toContain(`\u201c${offlineText(at, false, at)}\u201d`);
  });

  it('say of a halt by drawdown what ends it, as the agent does (R2-17)', () => {
    const hold = { code: 'drawdown', text: '', until: null };
    const ending = /stop (?:the agent|it) and start it again/;
    expect(untilText({ status: 'halted', hold }, 0)).toMatch(ending);
    const { answer = [] } = ALL_QUESTIONS.find(({ id }) => id === 'halted') ?? {};
    const blocks = (id: string): readonly Block[] => articleOf(id)?.blocks ?? [];
    for (const text of [answer, blocks('drawdown'), blocks('guards')])
      expect(passagesOf(text).join(' ')).toMatch(ending);
  });
});

describe('figures of the texts are those of the code', () => {
  it('profiles', () => {
    for (const [profile, { perTrade, volatility }] of Object.entries(RISK_SIZES)) {
      expect(RISK_PROFILES[profile as keyof typeof RISK_PROFILES], profile).toMatchObject({
        riskPerTrade: perTrade,
        volatilityTarget: volatility,
      });
    }
  });

  it('history and pools', () => {
    expect(HISTORY).toEqual({
      volatility: VOLATILITY_DAYS,
      volatilityLeast: VOLATILITY_DAYS_MIN,
      warmUp: LONGEST_WARM_UP_MS / DAY_MS,
      longHaul: LONG_HAUL_DAYS,
    });
    expect(POOL_FIGURES).toEqual({
      trendDays: WINDOWS_DAYS,
      momentumTop: ENTER_TOP,
      momentumKeep: KEEP_TOP,
      momentumVolumeDays: VOLUME_DAYS,
      rankEnter: ENTER_SHARE,
      rankKeep: KEEP_SHARE,
      yearDaysLeast: YTD_DAYS_MIN,
      coverageLeast: COVERAGE_MIN,
      fairBand: FAIR_BAND,
      pegBreak: PEG_BREAK,
      pegLeaveShare: LEAVE_SHARE,
      pegHoldHours: HOLD_MAX_MS / HOUR_MS,
    });
  });

  it('fills and guards', () => {
    expect(TOGETHER_TIMES.Conservative).toBe(TOGETHER_TIMES.Moderate);
    expect(FILL_FIGURES).toEqual({ participation: PARTICIPATION, impactMost: IMPACT_MAX });
    expect(GUARD_FIGURES).toEqual({
      spreadMost: SPREAD_MAX,
      jumpMost: JUMP_MAX,
      feedHours: GOOD_FOR_MIN_MS / HOUR_MS,
      cooldownHours: COOLDOWN_MS / HOUR_MS,
      afterStopHours: AFTER_STOP_MS / HOUR_MS,
      clusterStops: STOPS,
      clusterWithinHours: WITHIN_MS / HOUR_MS,
      clusterPauseHours: CLUSTER_MS / HOUR_MS,
      pegMost: PEG_HALT,
      pegBackHours: PEG_BACK_MS / HOUR_MS,
      togetherFrom: TOGETHER_MIN,
      togetherTimes: `${TOGETHER_TIMES.Moderate} (Aggressive: ${TOGETHER_TIMES.Aggressive})`,
    });
  });

  it('terms of the sources', () => {
    const candle = { time: 0, open: 100, high: 100, low: 100, close: 100, volume: 1 };
    expect(tapeRules('BTC/USDT', [candle])).toMatchObject({
      feeBps: TERMS.feeBps,
      halfSpreadBps: TERMS.halfSpreadBps,
    });
    expect(tapeRules('USDC/USDT', [candle])).toMatchObject({
      feeBps: TERMS.feeStableBps,
      halfSpreadBps: TERMS.halfSpreadStableBps,
    });
    const [listed] = listedOf(
      [{ symbol: 'BTC/USD', base: 'BTC', quote: 'USD', active: true, spot: true }],
      { quote: 'USD' } as Parameters<typeof listedOf>[1],
    );
    expect(listed?.rules).toMatchObject({ feeBps: TERMS.exchangeFeeBps });
    expect(roundTrip(10, 2)).toBeCloseTo(0.0024, 12);
  });

  it('live trading: limits of the first week, confirmations, and the words for keys', () => {
    const stepUp = readFileSync('signer/step-up.ts', 'utf8');
    expect(LIVE_FIGURES).toEqual({
      firstWeekDays: FIRST_WEEK_MS / DAY_MS,
      firstOrder: Number(formatFixed(FIRST_WEEK.maxOrder)),
      firstExposure: Number(formatFixed(FIRST_WEEK.maxExposure)),
      firstDailyLoss: Number(formatFixed(FIRST_WEEK.maxDailyLoss)),
      confirmMinutes: Number(/VALID_MS = (\d+) \* 60_000/.exec(stepUp)?.[1]),
      stopRoom: Number(formatFixed(stopRoomBps('kraken'))) / 10_000,
      stopRoomCoinbase: Number(formatFixed(stopRoomBps('coinbase'))) / 10_000,
    });
    const rows = LIVE.flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        typeof block === 'object' && 'table' in block ? block.table.rows : [],
      ),
    );
    const told = rows.map(([exchange = '', page, allow = '', forbid = '']) => [
      exchange.toLowerCase(),
      { page, allow: allow.split(', '), forbid: forbid.split(', ') },
    ]);
    expect(Object.fromEntries(told)).toEqual(KEY_ADVICE);
  });

  it('the server’s settings', () => {
    expect(readConfig({}).trialDays).toBe(TRIAL_DAYS);
    expect(PAYMENT_GRACE_MS / DAY_MS).toBe(PAYMENT_GRACE_DAYS);
    expect(RESERVED_FOR_STOPS).toBe(STOP_PLACES);
  });

  it('tables that were worked out: strengths, and the way back from a loss', () => {
    const tableOf = (id: string): readonly (readonly string[])[] =>
      articleOf(id)?.blocks.flatMap((block) =>
        typeof block !== 'string' && 'table' in block ? [block.table.rows] : [],
      )[0] ?? [];
    const strengths = tableOf('signal-strength');
    expect(strengths.length).toBe(4);
    for (const [z = '', strength] of strengths)
      expect((Math.floor(strengthOf(Number(z), 1) * 100) / 100).toFixed(2), z).toBe(strength);
    expect(tableOf('drawdown')).toContainEqual(['50 %', '100.0 %']);
    expect(recovery(0.2)).toBeCloseTo(0.25, 12);
    for (const [at = '', loss = ''] of tableOf('stops'))
      expect(1_000 * (1 - Number(at) / 100), at).toBeCloseTo(Number(loss), 9);
  });
});
