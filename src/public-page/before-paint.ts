/**
 * Runs inside a page from the build before anything of it is painted: who is here, how the page
 * looks, and what is pressed before there is code for it. Small and without the app: it is in the
 * page itself.
 */
import { deviceUser } from '../identity/device-record.ts';
import { APPEARANCE_KEY, markPage, readAppearance } from '../shell/appearance-marks.ts';

const { documentElement: root } = document;

function markPerson(): void {
  const user = deviceUser();
  if (user === null) return;
  root.dataset.known = '';
  if (user.isAuthenticated) root.dataset.signedIn = '';
}

try {
  markPage(readAppearance(localStorage.getItem(APPEARANCE_KEY)));
  markPerson();
} catch {
  // No storage, or a record that does not read: a visitor, and the system's appearance.
}

/** A form without its code would send the password in its address. */
addEventListener(
  'submit',
  (event) => {
    if (document.getElementById('built-page') !== null) event.preventDefault();
  },
  { capture: true },
);
/** A button in a form's page waits for its code; the last one pressed is pressed again then. */
addEventListener(
  'click',
  ({ target }) => {
    const page = document.querySelector<HTMLElement>('#built-page[data-frame=public]');
    const button = target instanceof Element ? target.closest('main button') : null;
    if (page === null || button === null) return;
    for (const waiting of document.querySelectorAll('main button[aria-busy]')) {
      waiting.removeAttribute('aria-busy');
      waiting.removeAttribute('aria-disabled');
    }
    page.dataset.pressed = button.textContent;
    button.setAttribute('aria-busy', 'true');
    button.setAttribute('aria-disabled', 'true');
  },
  { capture: true },
);
