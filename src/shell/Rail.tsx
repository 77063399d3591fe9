/** The left rail of wide screens and the bottom bar of phones, with the sheet behind More; refuses to hide Stop all. */
import { Activity, BookOpen, Bot, ChartCandlestick, CircleStop, Ellipsis, Gift, LayoutDashboard, LifeBuoy, ListChecks, ReceiptText, Search, ShieldCheck, Wallet, Waypoints, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { classes } from '../components/class-names.ts';
import { LazyDialog } from '../components/LazyDialog.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { preload } from './routes.ts';
import { BAR_LINKS, isCurrent, MORE_LINKS, type NavLink } from './navigation.ts';
import { MODIFIER, openPalette } from './shortcuts.ts';

const ICON: Record<string, LucideIcon> = {
  '/dashboard': LayoutDashboard, '/agents': Bot, '/market': ChartCandlestick, '/portfolio': Wallet, '/performance': Activity,
  '/getting-started': ListChecks, '/guided-setup': Waypoints, '/library': BookOpen, '/referrals': Gift, '/support': LifeBuoy,
  '/subscription': ReceiptText, '/security': ShieldCheck,
};

function RailLink({ link, path, onFollow }: { link: NavLink; path: string; onFollow?: () => void }) {
  const Icon = ICON[link.to] ?? Activity;
  const current = isCurrent(path, link.to);
  return (
    <Link href={link.to} onClick={onFollow} onPointerEnter={() => { void preload(link.to); }} aria-current={current ? 'page' : undefined}
      className={classes('flex min-h-11 items-center gap-3 rounded-md px-3 pointer-fine:min-h-9', current ? 'bg-accent-wash font-medium text-accent' : 'text-ink-2 hover:bg-sunken hover:text-ink')}>
      <Icon className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />{link.label}
    </Link>
  );
}

/** Opens the command palette; for those who press no keys, the only way to it. */
function FindButton({ onPress }: { onPress?: () => void }) {
  return (
    <button type="button" aria-haspopup="dialog" aria-keyshortcuts={MODIFIER === '⌘' ? 'Meta+K' : 'Control+K'} onClick={() => { onPress?.(); openPalette(); }}
      className="flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left text-ink-2 hover:bg-sunken hover:text-ink pointer-fine:min-h-9">
      <Search className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />Find
      <kbd aria-hidden className="ml-auto hidden font-sans text-xs text-ink-3 pointer-fine:block">{MODIFIER} K</kbd>
    </button>
  );
}

function StopAllLink({ onFollow }: { onFollow?: () => void }) {
  return (
    <Link href="/stop-all" onClick={onFollow} className="flex min-h-11 items-center gap-3 rounded-md px-3 text-danger hover:bg-danger-wash pointer-fine:min-h-9">
      <CircleStop className="size-4.5 shrink-0" strokeWidth={1.75} aria-hidden />Stop all agents
    </Link>
  );
}

export function Rail({ path }: { path: string }) {
  return (
    <aside className="sticky top-20 z-10 hidden h-[calc(100dvh-5rem)] w-[var(--rail)] shrink-0 overflow-y-auto border-r border-line px-3 py-4 lg:flex lg:flex-col">
      <div className="mb-3"><FindButton /></div>
      <nav aria-label="More" className="flex flex-col gap-0.5">
        {MORE_LINKS.map((link) => <RailLink key={link.to} link={link} path={path} />)}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-4"><StopAllLink /><AccountMenu /></div>
    </aside>
  );
}

const TAB = 'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-[0.6875rem] leading-4';

export function BottomBar({ path }: { path: string }) {
  const [open, setOpen] = useState(false);
  return (
    <nav aria-label="Screens" className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(var(--bar)+env(safe-area-inset-bottom))] border-t border-line bg-ground pb-[env(safe-area-inset-bottom)] lg:hidden">
      {BAR_LINKS.map((link) => {
        const Icon = ICON[link.to] ?? Activity;
        const current = isCurrent(path, link.to);
        return <Link key={link.to} href={link.to} aria-current={current ? 'page' : undefined} className={classes(TAB, current ? 'font-medium text-accent' : 'text-ink-2')}><Icon className="size-5" strokeWidth={1.75} aria-hidden />{link.label}</Link>;
      })}
      <button type="button" aria-haspopup="dialog" onClick={() => { setOpen(true); }} className={classes(TAB, 'text-ink-2')}><Ellipsis className="size-5" strokeWidth={1.75} aria-hidden />More</button>
      <LazyDialog open={open} onOpenChange={setOpen} title="More">
        <div className="grid grid-cols-2 gap-x-2">
          <FindButton onPress={() => { setOpen(false); }} />
          {MORE_LINKS.map((link) => <RailLink key={link.to} link={link} path={path} onFollow={() => { setOpen(false); }} />)}
          <StopAllLink onFollow={() => { setOpen(false); }} />
        </div>
      </LazyDialog>
    </nav>
  );
}
