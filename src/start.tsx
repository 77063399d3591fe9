/**
 * Where the app begins: errors are logged, the last user is painted, then everything that needs a
 * network is loaded.
 */
import { startTransition, StrictMode, useLayoutEffect } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { navigate } from 'wouter/use-browser-location';
import { App, firstScreen } from './App.tsx';
import { preloadClient } from './api/api.ts';
import { openCommands, preloadDelivery, queueRead } from './commands.ts';
import { environment } from './environment.ts';
import { endFirstFrame, handOverPresses, hasFirstFrame } from './first-frame/first-frame.ts';
import { preloadSentences } from './format/failure-sentence.ts';
import { keepForms, openForms } from './format/kept-forms.ts';
import { numberMarks } from './format/number-marks.ts';
import { formatMoment } from './format/times.ts';
import { breathe, idle } from './platform/breathe.ts';
import { openBadge } from './platform/icon-badge.ts';
import { readLastUser } from './identity/last-user.ts';
import { connectIdentity, onPurge, openSession, session } from './identity/session.ts';
import { log } from './platform/page-log.ts';
import { sendsAreOver } from './offline/sends-over.ts';
import { guardPresses } from './platform/presses.ts';
import { openPush } from './push/open-push.ts';
import { takeCaughtStop } from './screens/agents/start-stop/caught-stops.ts';
import { tookOverPage } from './shell/built-page.ts';
import { loadTray } from './shell/Dock.tsx';
import { hearTold } from './stores/hydrate.ts';
import { startSync } from './stores/sync.ts';
import { untilReached } from './platform/load-part.ts';
import { openUpdates } from './platform/app-updates.ts';
import { forgetWallet } from './wallet/connect/remembered-wallet.ts';

addEventListener('error', (event) => {
  log.error('Global error', event.error ?? event.message);
});
addEventListener('unhandledrejection', (event) => {
  log.error('Unhandled rejection', event.reason);
});
addEventListener('languagechange', keepForms);
openUpdates(sendsAreOver);
guardPresses(window);
handOverPresses();

/** Identity comes in a chunk of its own, after the first paint. */
async function loadIdentity(): Promise<void> {
  if (environment.mockApi) {
    const { recordedAuth } = await import('./identity/recorded-auth.ts');
    connectIdentity(recordedAuth(environment.firebase.projectId), environment.firebase.projectId);
    return;
  }
  const [{ firebaseAuth }, { openPageAuth }] = await Promise.all([
    import('./identity/firebase-auth.ts'),
    import('./identity/firebase-app.ts'),
  ]);
  connectIdentity(
    firebaseAuth(
      await openPageAuth(environment.firebase, location.origin, readLastUser() !== null),
    ),
    environment.firebase.projectId,
  );
}

/**
 * Longest wait for the screen's code and what the device has kept, ms; less where the code must
 * come from the network.
 */
const LOCAL_WAIT_MS = 1_000;
const NETWORK_WAIT_MS = 150;
/** With the last frame or the built page on screen there is something to look at. */
const FRAME_WAIT_MS = 10_000;

const after = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

function soon(): Promise<void> {
  const local = 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null;
  const unseenMs = local ? LOCAL_WAIT_MS : NETWORK_WAIT_MS;
  return after(hasFirstFrame() ? FRAME_WAIT_MS : unseenMs);
}

/** Whatever fails here is logged: the page stays on what it already shows. */
const notLoaded =
  (what: string) =>
  (error: unknown): void => {
    log.error(`${what} could not be loaded`, error);
  };

function afterPaint(work: () => Promise<void>, what: string): void {
  requestAnimationFrame(() => {
    setTimeout(() => {
      untilReached(work).catch(notLoaded(what));
    }, 0);
  });
}

/** The app in place of the first frame. What was pressed on that goes on. */
function Page() {
  useLayoutEffect(() => {
    endFirstFrame((caught) => {
      takeCaughtStop(caught).catch((error: unknown) => {
        log.error('A stop pressed on the first frame could not be taken over', error);
      });
    }, navigate);
  }, []);
  return <App />;
}

/**
 * Where the device has not kept them, the browser takes some milliseconds for the first format of
 * each kind: while the device is read there is time for it, within the first picture there is none.
 */
async function warmFormats(): Promise<void> {
  openForms();
  for (const first of [numberMarks, () => formatMoment(Date.now())]) {
    await breathe();
    first();
  }
}

/** What waits is drawn with the first picture, so its list must be here too. */
async function readQueue(): Promise<void> {
  await queueRead();
  try {
    await loadTray();
  } catch (error) {
    // Asked for again by the dock.
    log.warn('The list of queued commands could not be loaded', error);
  }
}

/** A command that is no longer in the queue was answered: by now the list says how. */
async function readTold(restored: Promise<void>): Promise<void> {
  await Promise.all([queueRead(), restored]);
  const uid = session.user?.uid;
  // What the device cannot say holds up no first picture.
  if (uid !== undefined) await hearTold(uid).catch(notLoaded('What was answered meanwhile'));
}

// The first picture is the whole one: screen and last-known data. A placeholder drawn first would
// hold the screen back (React shows one for at least 300 ms) and move when it goes.
async function paint(page: Root, restored: Promise<void>): Promise<void> {
  await Promise.race([
    Promise.all([firstScreen, restored, readQueue(), readTold(restored), warmFormats()]),
    soon(),
  ]);
  // A placeholder in place of a form would take the letters and the press that are under way.
  if (tookOverPage()) await Promise.race([firstScreen, after(FRAME_WAIT_MS)]);
  const draw = (): void => {
    page.render(
      <StrictMode>
        <Page />
      </StrictMode>,
    );
  };
  // A built page is read while it is drawn over: in slices, what is typed between two would be lost.
  if (tookOverPage()) draw();
  // A finger on the frame is heard between two slices.
  else startTransition(draw);
}

/** What nobody waits for: one after the other, each in an idle moment of its own. */
async function openTheUnhurried(): Promise<void> {
  const parts: [work: () => Promise<void>, what: string][] = [
    [async () => (await import('./referrals/claim-referral.ts')).openReferral(), 'Referrals'],
    [async () => (await import('./screens/login/typed-name.ts')).openTypedName(), 'The name'],
    [async () => (await import('./push/renewal.ts')).openRenewal(), 'The renewal of notifications'],
    ...(import.meta.env.PROD
      ? [
          [
            async () => (await import('./platform/worker-updates.ts')).registerWorker(),
            'The service worker',
          ] satisfies [() => Promise<void>, string],
        ]
      : []),
    [
      async () => {
        (await import('./first-frame/keep-frames.ts')).openFrames();
      },
      'The last frames',
    ],
  ];
  for (const [work, what] of parts) {
    await idle();
    untilReached(work).catch(notLoaded(what));
  }
}

function openTheRest(): void {
  // Before all else: a press of Stop is sent by it.
  afterPaint(preloadDelivery, 'Delivery');
  afterPaint(preloadClient, 'The client');
  afterPaint(preloadSentences, 'The sentences of failures');
  afterPaint(loadIdentity, 'Identity');
  if (environment.performanceMonitoring)
    afterPaint(async () => {
      (await import('./platform/page-performance.ts')).watchPerformance();
    }, 'Performance monitoring');
  void openTheUnhurried();
}

function createPage(element: HTMLElement): Root {
  return createRoot(element, {
    onCaughtError: (error) => {
      log.error(`React Error: ${error instanceof Error ? error.message : String(error)}`, error);
    },
    onUncaughtError: (error) => {
      log.error(`React Error: ${error instanceof Error ? error.message : String(error)}`, error);
    },
  });
}

/** In pieces, so that a finger on the first frame is heard between them. */
async function begin(element: HTMLElement): Promise<void> {
  openCommands();
  openPush();
  onPurge((uid) => {
    // A purge that was cut short is finished at a later start: the wallet may be the next person's
    // by then.
    if ((readLastUser()?.uid ?? uid) === uid) forgetWallet();
    return Promise.resolve();
  });
  openBadge();
  openSession();
  await breathe();
  const restored = startSync();
  await breathe();
  await paint(createPage(element), restored);
  openTheRest();
}

const root = document.getElementById('root');
if (root === null) throw new Error('Root element not found');
// Not awaited here: the screens' code imports this file's chunk, and would wait for it in turn.
void begin(root);
