/** The frame around every screen: header, strip, rail or bottom bar, dock and footer. */
import { useEffect, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { classes } from '../components/class-names.ts';
import { latePart, LatePart } from '../components/LatePart.tsx';
import { session } from '../identity/session.ts';
import { Dock } from './Dock.tsx';
import { Footer } from './Footer.tsx';
import { AppHeader } from './Header.tsx';
import { InstallOffer } from './InstallOffer.tsx';
import { withdrawOffer } from '../stores/stop-offer.ts';
import { closeMenu, menu } from './menu-state.ts';
import { isDashboard, showsTrialBanner } from './navigation.ts';
import { PublicFrame } from './PublicFrame.tsx';
import { BottomBar, Rail } from './Rail.tsx';
import { SkipLink } from './SkipLink.tsx';
import { StatusStrip } from './StatusStrip.tsx';
import { forgetTrialBanner, TrialBanner } from './TrialBanner.tsx';

const onDemand = latePart(
  'what is seen on demand',
  async () => (await import('./OnDemand.tsx')).OnDemand,
);
const menuPart = latePart('the menu', async () => (await import('./Menu.tsx')).Menu);

function MenuWhenOpened({ path }: { path: string }) {
  const { open } = useSnapshot(menu);
  return <LatePart part={menuPart} needed={open} onMissing={closeMenu} props={{ path }} />;
}

/**
 * `shownPath`: of the screen that is shown. Until the next one is drawn it is the one before; it dims,
 * so that a press is seen at once, and what stands around it stays, so that it does not move.
 */
export function Shell({
  path,
  shownPath,
  children,
}: {
  path: string;
  shownPath: string;
  children: ReactNode;
}) {
  const { user, status } = useSnapshot(session);
  const known = user !== null && status !== 'signed-out';
  useEffect(() => {
    if (status !== 'signed-out') return;
    forgetTrialBanner();
    withdrawOffer();
  }, [status]);
  // Going back closes an open menu.
  useEffect(() => {
    closeMenu();
  }, [path]);
  if (!known || path === '/') {
    return (
      <PublicFrame path={path} home={status === 'signed-in' ? '/dashboard' : '/'}>
        {children}
      </PublicFrame>
    );
  }
  return (
    <>
      <SkipLink />
      <AppHeader path={path} />
      <StatusStrip path={path} />
      <div className="flex">
        <Rail path={path} />
        <div className="min-w-0 flex-1">
          <TrialBanner shown={showsTrialBanner(shownPath)} />
          {/* The footer begins below the fold, so that loading content never moves it on screen. */}
          <main
            id="content"
            tabIndex={-1}
            className={classes(
              'mx-auto min-h-dvh w-full max-w-[80rem] px-4 py-5 outline-none md:px-6',
              path !== shownPath && 'opacity-60',
            )}
          >
            {children}
          </main>
          {isDashboard(shownPath) && <InstallOffer key={shownPath} />}
          <Footer />
          {/* Space for the bottom bar and for docked notices. */}
          <div
            aria-hidden
            className="h-[calc(var(--bar)+var(--dock,0px)+env(safe-area-inset-bottom))] lg:hidden"
          />
        </div>
      </div>
      <BottomBar path={path} />
      <MenuWhenOpened path={path} />
      <Dock />
      <LatePart part={onDemand} needed props={{}} />
    </>
  );
}
