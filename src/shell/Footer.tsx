/** The footer of every page. Its copyright year is fixed by the specification. */
import { Link } from 'wouter';
import { FOOTER_LINKS } from './navigation.ts';

export function Footer() {
  return (
    <footer className="border-t border-line px-4 py-6 text-xs text-ink-3 md:px-6">
      <div className="mx-auto flex max-w-[80rem] flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p>© 2025 Tradewind. You can lose all the money you invest.</p>
        <nav aria-label="Legal" className="-mx-2 flex flex-wrap">
          {FOOTER_LINKS.map((link) => (
            <Link
              key={link.to}
              href={link.to}
              className="flex min-h-11 items-center px-2 hover:text-ink pointer-fine:min-h-7"
            >
              {link.label}
            </Link>
          ))}
        </nav>
      </div>
    </footer>
  );
}
