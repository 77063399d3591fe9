/**
 * Property tests' source of cases: the same ones at each run, others with `PROPERTY_SEED` (`any`
 * for new ones each time).
 */
import fc from 'fast-check';

const wish = process.env.PROPERTY_SEED ?? '20210415';
if (wish !== 'any') fc.configureGlobal({ seed: Number(wish) });

export { default } from 'fast-check';
