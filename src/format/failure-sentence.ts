/** The sentence for a failure on the way to the first picture, which holds no table of sentences. */

/** As `errorSentence`; in the failure's own words where the table cannot be loaded. */
export async function failureSentence(error: unknown): Promise<string> {
  try {
    return (await import('./error-text.ts')).errorSentence(error);
  } catch {
    return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
  }
}
