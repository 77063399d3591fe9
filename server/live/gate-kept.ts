/** How long a comparison with the exchange that succeeded counts, where later ones fail. */

/** A process that slept knows nothing of the minutes since: it compares before anything leaves. */
export const GATE_KEPT_MS = 240_000;
