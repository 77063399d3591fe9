/** The pop-up code of Firebase, in a chunk of its own that only a press on "Google" loads. */
import { browserPopupRedirectResolver as resolver } from 'firebase/auth';

export const browserPopupRedirectResolver = resolver;
