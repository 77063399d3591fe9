/**
 * The whole script of a page from the build: the landing page's example, what an address names, and
 * when the app's code is fetched. Nothing here runs before the page is painted.
 */
import { fetchAhead, startApp } from './app-parts.ts';
import { runDemo } from './tunnel-demo.ts';

const FORMS = ['/login', '/register'];
/** The first seconds belong to the reader; who presses sooner shows it by the pointer or the focus. */
const IDLE_AFTER_MS = 4_000;
const TO_THE_APP = FORMS.map((path) => `a[href^="${path}"]`).join();

const path = location.pathname.replace(/(.)\/+$/, '$1');
const isKnown = 'known' in document.documentElement.dataset;

/** What the person has paid for is theirs: no megabytes ahead where they cost. */
function isGoodConnection(): boolean {
  const { connection } = navigator as {
    connection?: { saveData?: boolean; effectiveType?: string };
  };
  return connection?.saveData !== true && (connection?.effectiveType ?? '4g') === '4g';
}

function sayThatItFailed(): void {
  document.documentElement.removeAttribute('data-known');
  for (const waiting of document.querySelectorAll('main button[aria-busy]')) {
    waiting.removeAttribute('aria-busy');
    waiting.removeAttribute('aria-disabled');
  }
  const main = document.querySelector('main > div');
  if (main === null || main.querySelector('[data-failed]') !== null) return;
  const note = Object.assign(document.createElement('p'), {
    role: 'alert',
    className: 'text-danger',
    textContent: 'This page could not finish loading. Check your connection and try again.',
  });
  note.dataset.failed = '';
  main.append(note);
}

function takeOver(): void {
  startApp().then(() => {
    document.querySelector('main [data-failed]')?.remove();
  }, sayThatItFailed);
}

/** The questions unfold where an address names one; the search in them needs the app. */
function openAddressed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) {
    named.open = true;
    named.scrollIntoView();
  }
}

function onIntent({ target }: Event): void {
  if (target instanceof Element && target.closest(TO_THE_APP) !== null) fetchAhead();
}

/** The app for its next start, with or without a network; as it does itself once it runs. */
function whenIdle(): void {
  const begin = (): void => {
    if (!isGoodConnection()) return;
    fetchAhead();
    if ('serviceWorker' in navigator)
      navigator.serviceWorker.register('/sw.js', { scope: '/' }).catch(() => undefined);
  };
  setTimeout(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(begin);
    else begin();
  }, IDLE_AFTER_MS);
}

function afterLoad(): void {
  if (document.readyState === 'complete') whenIdle();
  else addEventListener('load', whenIdle, { once: true });
}

function start(): void {
  runDemo();
  if (path === '/faq') {
    openAddressed();
    addEventListener('hashchange', openAddressed);
    document.querySelector('input[type=search]')?.addEventListener('focus', takeOver);
  }
  // A form that is open will be sent, and a known person's page is the app's.
  if (isKnown || FORMS.includes(path)) {
    takeOver();
    addEventListener('online', takeOver);
    addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('main button') !== null) takeOver();
    });
    return;
  }
  for (const kind of ['pointerover', 'pointerdown', 'focusin'])
    addEventListener(kind, onIntent, { passive: true });
  afterLoad();
}

/** A hidden page has no frames; and its app may come at once. */
if (document.visibilityState === 'hidden') start();
else requestAnimationFrame(() => setTimeout(start));
