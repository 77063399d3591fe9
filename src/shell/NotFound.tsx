/** Leads an unknown address to the start page, and says so. */
import { useEffect } from 'react';
import { Redirect } from 'wouter';
import { pageToast } from '../stores/toast-store.ts';

const NOT_A_PAGE = 'That page does not exist. This is the start page.';

export function NotFound() {
  // By one id: shown once, even if the route renders several times.
  useEffect(() => {
    pageToast('blank', NOT_A_PAGE, { id: 'lost' });
  }, []);
  return <Redirect to="/" replace />;
}
