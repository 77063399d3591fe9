/** From the network's return to "stopped" on the server, with one tab and with twelve. */
import type { Page } from 'playwright-core';
import { controlled, openBrowser } from '../support/browser.ts';
import { openFaultWorld } from '../support/fault-world.ts';
import { callApi } from '../support/server.ts';
import { median, quantile, type Measurement } from './measurement.ts';

const ROUNDS = Number(process.env.BENCH_RECONNECTS ?? 12);
const TABS = [1, 12];
const SAVED = /^Stop saved on this device\./;

type Return = 'the browser says so' | 'nobody says so';

export async function measure(): Promise<Measurement[]> {
  const lives = await openFaultWorld();
  const browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  const results: Measurement[] = [];
  try {
    const user = await lives.trader();
    const { id } = await lives.agentOf(user, 'Harbour');
    const page = await browser.page();
    await lives.logIn(page, user);
    await controlled(page);
    const others: Page[] = [];
    const round = async (how: Return): Promise<number> => {
      await callApi(lives.server.url, user.idToken, 'startAgent', { params: { id }, body: {} });
      await page.bringToFront();
      await page.goto(`${lives.proxy.url}/agents/${id}`);
      const stop = page.getByRole('button', { name: 'Stop', exact: true }).first();
      await stop.waitFor();
      await page.waitForTimeout(500);
      if (how === 'nobody says so') lives.proxy.harm(() => 'drop-request');
      else await browser.context.setOffline(true);
      await stop.click();
      await page.getByText(SAVED).first().waitFor();
      // In the tunnel long enough for the app to have tried and failed.
      await page.waitForTimeout(3_000 + Math.random() * 4_000);
      const back = Date.now();
      lives.proxy.harm(() => null);
      await browser.context.setOffline(false);
      while ((await lives.agent(user, id)).status !== 'stopped') {
        if (Date.now() - back > 120_000) throw new Error('The stop never arrived');
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
      const took = Date.now() - back;
      // The answer is on the screen before the next round begins.
      await page.getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor();
      await page.getByText(SAVED).first().waitFor({ state: 'hidden' });
      return took;
    };
    for (const tabs of TABS) {
      while (others.length + 1 < tabs) {
        const other = await browser.page();
        await other.goto(
          `${lives.proxy.url}/${['dashboard', 'agents', 'portfolio', 'market'][others.length % 4] ?? ''}`,
        );
        others.push(other);
      }
      for (const how of ['the browser says so', 'nobody says so'] as const) {
        const took: number[] = [];
        for (let number = 0; number < ROUNDS; number += 1) took.push(await round(how));
        const what = `network back (${how}) to stopped on the server, ${tabs === 1 ? 'one tab' : `${tabs} tabs`}`;
        results.push(
          {
            section: 'reconnect',
            what: `${what}, median of ${ROUNDS}`,
            value: median(took),
            unit: 'ms',
          },
          {
            section: 'reconnect',
            what: `${what}, p95 of ${ROUNDS}`,
            value: quantile(took, 0.95),
            unit: 'ms',
          },
        );
      }
    }
  } finally {
    await browser.close();
    await lives.close();
  }
  return results;
}
