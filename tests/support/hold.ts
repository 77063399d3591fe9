/**
 * Holds a button as a person does, with the eyes on its ring, so that a slow machine is waited for;
 * refuses to count milliseconds.
 */
import type { Locator, Page } from 'playwright-core';

/** A ring is drawn in the frame after the press. */
const SEEN_MS = 5_000;

/** The ring once it fills; it goes when the hold is through or was given up. */
const filling = (button: Locator): Locator => button.locator('[data-filling="true"]');

async function watched(
  button: Locator,
  press: () => Promise<void>,
  release: () => Promise<void>,
): Promise<void> {
  await press();
  try {
    // Not seen in time: it is over already, or never began, which the caller's own look finds out.
    await filling(button)
      .waitFor({ state: 'attached', timeout: SEEN_MS })
      .catch(() => undefined);
    await filling(button).waitFor({ state: 'detached' });
  } finally {
    await release();
  }
}

/** By the mouse, where the button has come to rest. */
export async function hold(button: Locator): Promise<void> {
  const { mouse } = button.page();
  await button.scrollIntoViewIfNeeded();
  await button.hover();
  await watched(
    button,
    () => mouse.down(),
    () => mouse.up(),
  );
}

/** By a key, on whatever has the focus. */
export async function holdKey(page: Page, key: string): Promise<void> {
  await watched(
    page.locator(':focus'),
    () => page.keyboard.down(key),
    () => page.keyboard.up(key),
  );
}
