/** The header: brand, the navigation bar, account mode, age of data, the menu; refuses links that a person has no use for. */
import { Menu, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Age } from '../components/Age.tsx';
import { LinkButton } from '../components/Button.tsx';
import { classes } from '../components/class-names.ts';
import { PaperTag } from '../components/Tags.tsx';
import { useAuth } from '../stores/security.ts';
import { useWalletNote } from '../stores/wallet-note.ts';
import { BackControl } from './BackControl.tsx';
import { kindOf, STALE_AFTER, useDataTime } from './data-age.ts';
import { Mark } from './Mark.tsx';
import { isCurrent, navLinks, type NavLink } from './navigation.ts';
import { WalletChip } from './WalletChip.tsx';

/** `tight`: on a phone something else needs the name's place. */
function Logo({ to, label = 'Tradewind', tight = false }: { to: string; label?: string; tight?: boolean }) {
  return (
    <Link href={to} className="-ml-1 flex min-h-11 items-center gap-2 px-1 text-base font-semibold tracking-[-0.01em]">
      {/* At 320 px, a desk at 400 %, the mark alone is seen; the name is read. */}
      <Mark className="size-6" /><span className={tight ? 'max-[429px]:sr-only md:max-lg:sr-only' : 'max-[374px]:sr-only'}>{label}</span>
    </Link>
  );
}

function BarLink({ link, path, onFollow, tall = false }: { link: NavLink; path: string; onFollow?: () => void; tall?: boolean }) {
  const current = isCurrent(path, link.to) && link.upsell !== true;
  return (
    <Link href={link.to} onClick={onFollow} aria-current={current ? 'page' : undefined}
      className={classes('flex items-center rounded-md px-2.5', tall ? 'min-h-12 text-base' : 'h-9', current ? 'font-medium text-ink' : 'text-ink-2 hover:text-ink')}>
      {link.upsell === true
        ? <><span className="rounded-sm border border-accent px-1.5 text-xs leading-5 font-semibold text-accent">PRO</span><span className="sr-only">: see what PRO adds</span></>
        : link.label}
    </Link>
  );
}

/** The header of a person who is signed in. */
export function AppHeader({ path }: { path: string }) {
  const { subscriptionTier } = useAuth();
  const [open, setOpen] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const links = navLinks(subscriptionTier);
  const kind = kindOf(path);
  const dataTime = useDataTime(kind);
  const wallet = useWalletNote();

  useEffect(() => { setOpen(false); }, [path]);
  useEffect(() => {
    if (!open) return;
    panel.current?.querySelector('a')?.focus();
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      toggle.current?.focus();
    };
    // As a popover does: a press elsewhere, or the keyboard gone on, is an answer too.
    const elsewhere = (event: Event): void => {
      const target = event.target instanceof Node ? event.target : null;
      if (panel.current?.contains(target) !== true && toggle.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('keydown', close);
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    return () => {
      document.removeEventListener('keydown', close);
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
    };
  }, [open]);

  return (
    <header className="sticky top-0 z-30 border-b border-line bg-ground">
      <div className="flex h-13 items-center gap-3 px-4 md:px-6">
        <BackControl path={path} />
        <Logo to="/dashboard" tight={wallet !== null} />
        <nav aria-label="Main" className="ml-3 hidden items-center md:flex">
          {links.map((link) => <BarLink key={link.label} link={link} path={path} />)}
        </nav>
        <div className="ml-auto flex items-center gap-3">
          {wallet !== null && <WalletChip wallet={wallet} />}
          <PaperTag />
          <Age savedAt={dataTime} staleAfterMs={STALE_AFTER[kind]} icon className="min-w-[5.25rem] justify-end md:min-w-[6.5rem]" />
          <button ref={toggle} type="button" aria-expanded={open} aria-controls="header-menu" aria-label={open ? 'Close menu' : 'Open menu'} onClick={() => { setOpen(!open); }}
            className="-mr-2 flex size-11 shrink-0 items-center justify-center rounded-md text-ink-2 md:hidden">
            {open ? <X className="size-5" aria-hidden /> : <Menu className="size-5" aria-hidden />}
          </button>
        </div>
      </div>
      {open && (
        <nav ref={panel} id="header-menu" aria-label="Menu" className="float-in absolute inset-x-0 top-full border-b border-line bg-ground px-2 pb-2 shadow-float md:hidden">
          {links.map((link) => <BarLink key={link.label} link={link} path={path} tall onFollow={() => { setOpen(false); }} />)}
        </nav>
      )}
    </header>
  );
}

/** The header of the public pages; transparent over the landing page. */
export function PublicHeader({ transparent }: { transparent: boolean }) {
  return (
    <header className={classes('top-0 z-30 w-full', transparent ? 'absolute bg-transparent' : 'sticky border-b border-line bg-ground')}>
      <div className="mx-auto flex h-14 max-w-6xl items-center justify-between px-4 md:px-6">
        <Logo to="/" />
        <nav aria-label="Account" className="flex items-center gap-1">
          <LinkButton to="/login" tone="plain" size="sm">Log In</LinkButton>
          <LinkButton to="/register" tone="primary" size="sm">Get Started</LinkButton>
        </nav>
      </div>
    </header>
  );
}
