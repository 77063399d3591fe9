/** Routes and shell of the page. */
import { memo, Suspense, useDeferredValue, useState, type ComponentType } from 'react';
import { useSnapshot } from 'valtio';
import { Redirect, Router, useRouter, type BaseLocationHook } from 'wouter';
import { navigate, useBrowserLocation } from 'wouter/use-browser-location';
import { latePart, LatePart, preloadLateParts } from './components/LatePart.tsx';
import { environment } from './environment.ts';
import { log } from './platform/page-log.ts';
import { decodedPart } from './platform/path-part.ts';
import { keepAppearance } from './shell/appearance.ts';
import { RouteChange } from './shell/RouteChange.tsx';
import { Boundary, CrashScreen, RouteError } from './shell/CrashScreen.tsx';
import { RouteGuard } from './shell/RouteGuard.tsx';
import { LoadingScreen } from './shell/LoadingScreen.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { keepReferral } from './referrals/kept-referral.ts';
import {
  preload,
  preloadWhenIdle,
  ROUTES,
  routeOf,
  type ScreenProps,
  type ScreenRoute,
} from './shell/routes.ts';
import { loadRail } from './shell/Rail.tsx';
import { Shell } from './shell/Shell.tsx';
import { toastStore } from './stores/toast-store.ts';

const toasts = latePart('the messages', async () => (await import('./shell/Toasts.tsx')).Toasts);

/** A wide window shows the rail with its first picture. */
async function railHere(): Promise<void> {
  try {
    await loadRail();
  } catch (error) {
    // Asked for again by the rail itself.
    log.warn('The rail could not be loaded', error);
  }
}

keepAppearance();
// The screen that is about to be shown is asked for before anything is drawn.
export const firstScreen = Promise.all([preload(location.pathname), railHere()]);
if (environment.lazyLoading)
  preloadWhenIdle(window, (path) => {
    void preload(path).then(preloadLateParts);
  });
else for (const route of ROUTES) void preload(route.path);

/** Values of a pattern's `:names` in a path. */
function paramsOf(pattern: string, path: string): Record<string, string> {
  const values = path.split('/');
  const found: Record<string, string> = {};
  pattern.split('/').forEach((part, index) => {
    if (part.startsWith(':')) found[part.slice(1)] = decodedPart(values[index] ?? '');
  });
  return found;
}

/** Decided when it is first drawn: code that comes later must not begin the screen anew. */
function ScreenOf({ route, params }: { route: ScreenRoute } & ScreenProps) {
  const [Screen] = useState<ComponentType<ScreenProps>>(() => route.loaded ?? route.Screen);
  return <Screen params={params} />;
}

/** The screen of a path. Memoized: a press that leads elsewhere does not draw the old screen again. */
const ScreenAt = memo(function ScreenAt({ route, path }: { route: ScreenRoute; path: string }) {
  // Another agent, pair or account begins anew: a dialog left open would act on what it was not
  // opened for.
  const screen = (
    <Boundary resetKey={path} fallback={(error) => <RouteError error={error} />}>
      <Suspense fallback={<LoadingScreen />}>
        <ScreenOf key={path} route={route} params={paramsOf(route.path, path)} />
      </Suspense>
    </Boundary>
  );
  return route.access === 'public' ? screen : <RouteGuard path={path}>{screen}</RouteGuard>;
});

/**
 * The path whose screen is shown. Between two screens of the app whose code is there, the frame
 * marks the new place with the next picture and the screen follows: drawing it holds up neither
 * that picture nor the next press. Everywhere else the screen comes at once, and so does a logout.
 */
function useShownPath(path: string): string {
  const late = useDeferredValue(path);
  const isInApp = (route: ScreenRoute | undefined): route is ScreenRoute =>
    route !== undefined && route.access !== 'public';
  const next = routeOf(path);
  return isInApp(routeOf(late)) && isInApp(next) && next.loaded !== null ? late : path;
}

export function Routes() {
  // Where a frame is drawn to be kept, the router says of which path.
  const [path] = useBrowserLocation(useRouter());
  const shownPath = useShownPath(path);
  const route = routeOf(shownPath);
  const referral = /^\/ref\/([^/]+)\/?$/.exec(path)?.[1];
  if (referral !== undefined) {
    keepReferral(referral);
    return <Redirect to="/register" replace />;
  }
  if (path === '/markets' || path === '/markets/') return <Redirect to="/market" replace />;
  if (route === undefined || routeOf(path) === undefined) return <NotFound />;
  return (
    <>
      <Shell path={path} shownPath={shownPath}>
        <ScreenAt route={route} path={shownPath} />
      </Shell>
      <RouteChange path={shownPath} title={route.title} />
    </>
  );
}

/** Nothing until there is a first message to show. */
function ToastsWhenNeeded() {
  const needed = useSnapshot(toastStore).toasts.length > 0;
  return <LatePart part={toasts} needed={needed} props={{}} />;
}

/**
 * Links and redirects lead somewhere; where the app is they only read. Were they told, each press
 * would draw every link of the screen that it leaves.
 */
const useUnwatchedLocation: BaseLocationHook = () => [location.pathname, navigate];

export function App() {
  return (
    <Boundary fallback={(error) => <CrashScreen error={error} />}>
      <Router hook={useUnwatchedLocation}>
        <Routes />
        <ToastsWhenNeeded />
      </Router>
    </Boundary>
  );
}
