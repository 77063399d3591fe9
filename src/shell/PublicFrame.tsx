/** The frame of a page that anybody can read: header, text and footer. */
import type { ReactNode } from 'react';
import { LinkButton } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { Footer } from './Footer.tsx';
import { LogoLink } from './LogoLink.tsx';
import { SkipLink } from './SkipLink.tsx';

/** Transparent over the landing page (R2-01). `home`: where the logo leads. */
function PublicHeader({ transparent, home }: { transparent: boolean; home: string }) {
  return (
    <header
      className={classes(
        'top-0 z-30 w-full',
        transparent ? 'absolute bg-transparent' : 'sticky border-b border-line bg-ground',
      )}
    >
      <div className="mx-auto flex h-14 max-w-6xl items-center justify-between px-4 md:px-6">
        <LogoLink to={home} />
        <nav aria-label="Account" className="flex items-center gap-1">
          <LinkButton to="/login" tone="plain" size="sm">
            Log In
          </LinkButton>
          <LinkButton to="/register" tone="primary" size="sm">
            Get Started
          </LinkButton>
        </nav>
      </div>
    </header>
  );
}

export function PublicFrame({
  path,
  home,
  children,
}: {
  path: string;
  home: string;
  children: ReactNode;
}) {
  const isLanding = path === '/';
  return (
    <>
      <SkipLink />
      <PublicHeader transparent={isLanding} home={home} />
      <main
        id="content"
        tabIndex={-1}
        className={
          isLanding
            ? 'min-h-dvh outline-none'
            : 'mx-auto min-h-dvh w-full max-w-6xl px-4 py-8 outline-none md:px-6'
        }
      >
        {children}
      </main>
      <Footer />
    </>
  );
}
