/** The sentence for a failure on the way to the first picture, which holds no table of sentences. */

const loadSentences = () => import('./error-text.ts');

/** Asks for the table, so that a failure finds it also where the network has gone. */
export async function preloadSentences(): Promise<void> {
  await loadSentences();
}

/** As `errorSentence`; in the failure's own words where the table cannot be loaded. */
export async function failureSentence(error: unknown): Promise<string> {
  try {
    return (await loadSentences()).errorSentence(error);
  } catch {
    return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
  }
}
