/** What stands in the left rail of wide screens: Find, the screens in groups, Stop all, the account. */
import { AccountMenu } from './AccountMenu.tsx';
import { MENU_GROUPS } from './menu-links.ts';
import { FindButton, GroupLink, StopAllLink } from './MenuRows.tsx';

export function RailLinks({ path }: { path: string }) {
  return (
    <>
      <FindButton />
      <nav aria-label="More">
        {MENU_GROUPS.map(({ title, links }) => (
          <section key={title} aria-label={title} className="mt-3 flex flex-col gap-0.5">
            <h2 className="px-3 pb-0.5 text-xs text-ink-3">{title}</h2>
            {links.map((link) => (
              <GroupLink key={link.to} link={link} path={path} />
            ))}
          </section>
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-0.5 pt-4">
        <StopAllLink />
        <AccountMenu />
      </div>
    </>
  );
}
