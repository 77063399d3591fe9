/** Waits for work, but no longer than a time; what is late goes on by itself. */

/** Real time, whatever clock the signer goes by: what is waited for are requests. */
export async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, isLate]).finally(() => {
    clearTimeout(timer);
  });
}
