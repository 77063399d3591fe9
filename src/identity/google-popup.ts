/**
 * The pop-up code of Firebase, in a chunk of its own; refuses to be loaded by anything but a press
 * on "Google".
 */
import { browserPopupRedirectResolver as resolver } from 'firebase/auth';

export const browserPopupRedirectResolver = resolver;
