/** The public pages of text by name, for the routes; refuses text of its own. */
import { Faq } from './faq.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { LearnMore } from './learn-more.tsx';
import { Privacy } from './privacy.tsx';
import { RiskDisclosure } from './risk-disclosure.tsx';
import { Terms } from './terms.tsx';

export const WORDS = { terms: Terms, privacy: Privacy, risk: RiskDisclosure, learnMore: LearnMore, faq: Faq, howItWorks: HowItWorks } as const;
