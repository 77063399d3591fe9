/**
 * Installs Chromium where there is none, before the files of a run: two of them at once would each
 * try, and one would find the package lists locked.
 */
import { chromiumPath } from './browser.ts';

export default function setup(): void {
  chromiumPath();
}
